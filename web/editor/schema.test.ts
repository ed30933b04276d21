import { expect, test } from "vitest";
import { ITEM } from "./context.ts";
import {
  describe as describeSchema,
  keysOf,
  schemaAt,
  schemaOfKind,
  typeName,
  valuesOf,
  type OpenApi,
} from "./schema.ts";

/** Cut from what v1.36 serves at /openapi/v3/apis/apps/v1. */
const api: OpenApi = {
  components: {
    schemas: {
      "io.k8s.api.apps.v1.Deployment": {
        description: "Deployment enables declarative updates for Pods and ReplicaSets.",
        type: "object",
        properties: {
          kind: { type: "string", description: "Kind is a string value." },
          spec: {
            description: "Specification of the desired behavior of the Deployment.",
            default: {},
            allOf: [{ $ref: "#/components/schemas/io.k8s.api.apps.v1.DeploymentSpec" }],
          },
        },
        "x-kubernetes-group-version-kind": [{ group: "apps", kind: "Deployment", version: "v1" }],
      },
      "io.k8s.api.apps.v1.DeploymentSpec": {
        description: "DeploymentSpec is the specification.",
        type: "object",
        required: ["selector", "template"],
        properties: {
          replicas: { type: "integer", format: "int32", description: "Number of desired pods." },
          paused: { type: "boolean" },
          selector: { allOf: [{ $ref: "#/components/schemas/LabelSelector" }] },
          template: {
            type: "object",
            properties: {
              containers: {
                type: "array",
                items: { default: {}, allOf: [{ $ref: "#/components/schemas/Container" }] },
              },
            },
          },
        },
      },
      LabelSelector: {
        type: "object",
        properties: {
          matchLabels: { type: "object", additionalProperties: { type: "string", default: "" } },
        },
      },
      Container: {
        type: "object",
        properties: {
          imagePullPolicy: {
            type: "string",
            description: "Image pull policy.",
            enum: ["Always", "IfNotPresent", "Never"],
          },
          port: { oneOf: [{ type: "integer" }, { type: "string" }] },
        },
      },
      DeleteOptions: {
        type: "object",
        "x-kubernetes-group-version-kind": [
          { group: "apps", kind: "Deployment", version: "v1" },
          { group: "", kind: "DeleteOptions", version: "v1" },
        ],
      },
    },
  },
};
const root = schemaOfKind(api, "Deployment");

test("a kind's schema, not one that carries every kind", () => {
  expect(root?.properties?.spec).toBeDefined();
  expect(schemaOfKind(api, "Nothing")).toBeUndefined();
});

test("references, lists and maps are followed; a field's own words go first", () => {
  expect(schemaAt(api, root, ["spec"])?.description).toMatch(/^Specification of/);
  expect(
    schemaAt(api, root, ["spec", "template", "containers", ITEM])?.properties?.port,
  ).toBeDefined();
  expect(schemaAt(api, root, ["spec", "selector", "matchLabels", "app"])?.type).toBe("string");
  expect(schemaAt(api, root, ["spec", "nothing"])).toBeUndefined();
});

test("keys: required ones first, with kubectl explain's types", () => {
  expect(
    keysOf(api, schemaAt(api, root, ["spec"])).map((o) => [o.label, o.detail, o.insert]),
  ).toEqual([
    ["selector", "Object, required", "selector:"],
    ["template", "Object, required", "template:"],
    ["paused", "boolean", "paused: "],
    ["replicas", "integer", "replicas: "],
  ]);
  expect(typeName(api, schemaAt(api, root, ["spec", "template", "containers"]))).toBe("[]Object");
  expect(typeName(api, schemaAt(api, root, ["spec", "selector", "matchLabels"]))).toBe(
    "map[string]string",
  );
});

test("values that the schema names, and what it says of a field", () => {
  const policy = schemaAt(api, root, ["spec", "template", "containers", ITEM, "imagePullPolicy"]);
  expect(valuesOf(policy).map((o) => o.label)).toEqual(["Always", "IfNotPresent", "Never"]);
  expect(describeSchema(policy)).toBe("Image pull policy.\n\nOne of: Always, IfNotPresent, Never.");
  expect(valuesOf(schemaAt(api, root, ["spec", "paused"])).map((o) => o.label)).toEqual([
    "true",
    "false",
  ]);
  expect(valuesOf(schemaAt(api, root, ["spec", "replicas"]))).toEqual([]);
});
