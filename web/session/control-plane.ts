import type { RpcClient } from "../rpc/client.ts";
import type {
  AuditLine,
  ConfigurationFiles,
  ConfigurationInForce,
  Configured,
  AccessControls,
  Right,
  WhoMay,
} from "../rpc/protocol.ts";
import type { Disposable } from "../state/disposable.ts";

/** What the page asks the worker with. */
export type ControlPlaneClient = Pick<RpcClient, "call">;

/**
 * The control plane's configuration, and what a request passes, asked for when somebody looks. A call
 * fails with CallError, in upstream's words.
 */
export class ControlPlane {
  readonly #client: ControlPlaneClient;

  constructor(client: ControlPlaneClient) {
    this.#client = client;
  }

  /** The files in force. */
  configuration(): Promise<ConfigurationInForce> {
    return this.#client.call("configuration", {}).result;
  }

  /** What would be refused of these files; nothing is touched. */
  async check(files: ConfigurationFiles): Promise<string[]> {
    return (await this.#client.call("checkConfiguration", { files }).result).problems;
  }

  /** Puts the files into force, or leaves the old ones and fails. */
  configure(files: ConfigurationFiles): Promise<Configured> {
    return this.#client.call("configure", { files }).result;
  }

  /** Goes back to the configuration before this one, without the API. */
  restore(): Promise<Configured> {
    return this.#client.call("restoreConfiguration", {}).result;
  }

  /** Authenticators, authorizers and admission plugins. */
  accessControls(): Promise<AccessControls> {
    return this.#client.call("accessControls", {}).result;
  }

  /** To whom RBAC's bindings give a right. */
  whoMay(right: Right): Promise<WhoMay> {
    return this.#client.call("whoMay", right).result;
  }

  /** Gives what the audit policy has recorded, and records, until disposed. */
  audit(take: (lines: AuditLine[]) => void): Disposable {
    const decoder = new TextDecoder();
    let rest = "";
    const call = this.#client.call(
      "audit",
      {},
      {
        data: (chunk) => {
          const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
          rest = lines.pop() ?? "";
          if (lines.length > 0) take(lines.map((line) => JSON.parse(line) as AuditLine));
          return undefined;
        },
      },
    );
    call.result.catch(() => undefined); // it ends by being cancelled, or with the cluster
    return { dispose: () => call.cancel() };
  }
}
