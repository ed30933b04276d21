import { schemaOfKind, type OpenApi } from "../editor/schema.ts";
import type { KindSchema } from "../editor/schemas.ts";

/**
 * The fields of the control plane's files. The cluster's OpenAPI does not have these forms:
 * core/configuration's tests make fields.json of upstream's types.
 */
export const fields = {
  /** Undefined for what is none of the forms, in a version that is not the one of the file. */
  async of(apiVersion: string, kind: string): Promise<KindSchema | undefined> {
    const { default: api } = (await import("./fields.json")) as { default: OpenApi };
    const schema = schemaOfKind(api, kind);
    const known = schema?.["x-kubernetes-group-version-kind"]?.some(
      ({ group, version }) => `${group}/${version}` === apiVersion,
    );
    return schema && known ? { api, schema } : undefined;
  },
};
