/* Images that a page defines. Part of web/rpc/protocol.ts. */

export interface DefineImageParams {
  /** A repository's name, without a tag. */
  name: string;
  /** The absolute address of a JavaScript module. */
  module: string;
  /** Where its containers serve HTTP. */
  ports: number[];
  /** KEY=value pairs. */
  env: string[];
}
