/* One HTTP request to the apiserver. Part of web/rpc/protocol.ts. */

export interface FetchParams {
  method: string;
  /** Path and query, beginning with "/". */
  path: string;
  headers: [string, string][];
  /** True when body chunks follow as `data`, closed by `end`. */
  body: boolean;
}
