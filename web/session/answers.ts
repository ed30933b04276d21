import type { RpcClient } from "../rpc/client.ts";
import type { Disposable } from "../state/disposable.ts";

/** Tells which addresses answer connections, until disposed. Where that cannot be had, nothing is told. */
export function followAnswers(
  client: Pick<RpcClient, "call">,
  take: (addresses: readonly string[]) => void,
): Disposable {
  const call = client.call(
    "answered",
    {},
    { event: ({ endpoints }) => take(Object.keys(endpoints)) },
  );
  call.result.catch(() => undefined);
  return { dispose: () => call.cancel() };
}
