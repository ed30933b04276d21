/* A reporter of vitest's, beside its own: what did not simply pass, for the summary of the whole run. */
import { eventsOf } from "./events.mjs";

export default class {
  #events = eventsOf("page--unit-tests");

  onTestCaseResult(test) {
    const { state, note, errors } = test.result();
    const file = test.module.relativeModuleId;
    if (state === "skipped")
      this.#events.skipped(file, test.fullName, note ?? "no reason given");
    if (state === "failed")
      this.#events.failed(file, test.fullName, errors.map((e) => e.message).join("\n"));
  }

  // A file that could not be read, or a hook that failed, is no test's.
  onTestModuleEnd(module) {
    const errors = module.errors();
    if (errors.length > 0)
      this.#events.failed(
        module.relativeModuleId,
        "the file itself",
        errors.map((e) => e.message).join("\n"),
      );
  }
}
