import type { Status } from "../kube/types.ts";

/** Something that the server finds wrong with a manifest. */
export interface Problem {
  message: string;
  /** The field it is about, as the server writes paths; empty when it names none. */
  field: string;
  /** Set when somebody else owns the field: who. */
  owner?: string;
}

/**
 * What a Status says, one problem for each field. Validation and conflicts come as causes; errors
 * in decoding name their fields in the message only.
 */
export function problemsOf(status: Status): Problem[] {
  const causes = status.details?.causes ?? [];
  if (causes.length > 0) {
    return causes.map(({ reason, message = "", field = "" }) => {
      const owner = /^conflict with "([^"]*)"/.exec(message)?.[1];
      if (reason === "FieldManagerConflict" && owner !== undefined) {
        return { field, owner, message: conflictText(field, owner) };
      }
      return { field, message: field ? `${field}: ${message}` : message };
    });
  }
  const { message = "" } = status;
  const decoding = [...message.matchAll(/(unknown|duplicate) field "([^"]+)"/g)];
  if (decoding.length > 0) {
    return decoding.map(([text, , field = ""]) => ({ field, message: text }));
  }
  return [{ field: fieldIn(message), message }];
}

/** The one field that a message is about. */
function fieldIn(message: string): string {
  const found =
    // Server-side apply: "failed to create typed patch object (...): .spec.replicas: expected …".
    /\): (\.[^\s:]+): /.exec(message)?.[1] ??
    // encoding/json: "cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of".
    /Go struct field \w+\.(\S+) of type/.exec(message)?.[1] ??
    // "namespaces "shop" not found".
    (/^namespaces "[^"]+" not found/.test(message) ? "metadata.namespace" : undefined) ??
    (message.startsWith("no matches for kind") ? "kind" : undefined);
  return found ?? "";
}

function conflictText(field: string, owner: string): string {
  return (
    `${field.replace(/^\./, "")} is owned by "${owner}", with another value. ` +
    `Take it over by applying with force, or remove the field here and leave it to "${owner}".`
  );
}
