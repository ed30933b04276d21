import type { ActionNeeds } from "../../actions/object.ts";
import type { ApiPlace } from "../../kube/apipath.ts";
import { askDelete, editObject, openOwner, openShell } from "../../actions/object.ts";

/** A key that does something with the object under the cursor. k9s has the same ones. */
export interface ObjectKey {
  /** As KeyboardEvent names it. */
  key: string;
  ctrl?: boolean;
  /** As it is shown. */
  label: string;
  what: string;
  /** The inspector's tab that it opens. */
  show?: string;
  run?: (on: ActionNeeds, place: ApiPlace) => void;
}

export const OBJECT_KEYS: readonly ObjectKey[] = [
  { key: "d", label: "d", what: "Describe", show: "describe" },
  { key: "y", label: "y", what: "YAML", show: "yaml" },
  { key: "e", label: "e", what: "Edit", run: editObject },
  { key: "l", label: "l", what: "Logs", show: "logs" },
  { key: "p", label: "p", what: "Logs of the previous container", show: "previous" },
  { key: "s", label: "s", what: "Shell in a container", run: openShell },
  { key: "v", label: "v", what: "Events", show: "events" },
  { key: "t", label: "t", what: "Owner tree", show: "tree" },
  { key: "J", label: "Shift J", what: "Go to its owner", run: openOwner },
  { key: "d", ctrl: true, label: "Ctrl D", what: "Delete", run: askDelete },
];

/** Those that only show something of it, beside the table. */
export const LOOK_KEYS = OBJECT_KEYS.filter(({ show = "" }) =>
  ["describe", "yaml", "logs", "previous"].includes(show),
);

/** What a key stands for among them. */
export function keyFor(
  { key, ctrlKey, metaKey, altKey }: KeyboardEvent,
  keys = OBJECT_KEYS,
): ObjectKey | undefined {
  if (metaKey || altKey) return undefined;
  return keys.find((k) => k.key === key && (k.ctrl ?? false) === ctrlKey);
}
