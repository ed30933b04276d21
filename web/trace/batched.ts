/**
 * What a batch of pods came to, of its details by their names: "1 pod created, 2 left to create"; or what it sets out
 * to do: "creates 1 of the 3 pods that are missing, and the other 2 once that went well". What remains when a batch begins has the batch in it.
 */
export function batched(text: (key: string) => string, begins = false): string {
  const size = Number(text("size"));
  const failed = text("failed");
  const most = text("most");
  const pods = `${size} ${size === 1 ? "pod" : "pods"}`;
  const what = `${pods} ${failed ? "tried" : "created"}${size > 1 ? " together" : ""}`;
  const left = Number(text("remaining")) - size;
  if (begins) {
    const missing = (n: number) => (n === 1 ? "the pod that is" : `the ${n} pods that are`);
    return left > 0
      ? `creates ${size} of ${missing(size + left)} missing, and the other ${left === 1 ? "one" : left} once that went well`
      : `creates ${missing(size)} missing${size > 1 ? ", together" : ""}`;
  }
  // One that fails ends it all.
  const then = failed ? `${failed} failed` : `${left > 0 ? left : "none"} left to create`;
  return `${what}, ${then}${most && `; one sync creates ${most} at most`}`;
}
