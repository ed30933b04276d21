import { expect, test } from "vitest";
import { warningsIn, typeChecked } from "./warnings.ts";

const warned = (...values: string[]) => {
  const headers = new Headers();
  for (const value of values) headers.append("warning", value);
  return warningsIn(headers);
};

test("each warning of an answer is one, with the field that it names", () => {
  expect(warned()).toEqual([]);
  expect(
    warned(
      '299 - "spec.template.spec.containers[0].env[1]: hides previous definition of \\"A\\""',
      '299 - "would violate PodSecurity \\"restricted:latest\\": a, b"',
    ),
  ).toEqual([
    {
      message: 'spec.template.spec.containers[0].env[1]: hides previous definition of "A"',
      field: "spec.template.spec.containers[0].env[1]",
    },
    { message: 'would violate PodSecurity "restricted:latest": a, b', field: "" },
  ]);
});

test("warnings that strangers write are bounded, and nothing else is taken for one", () => {
  expect(warned('110 - "stale"', "299", '299 - "open')).toEqual([]);
  expect(warned(...Array.from({ length: 100 }, () => '299 - "again"'))).toHaveLength(32);
  expect(warned(`299 - "${"x".repeat(5000)}"`)[0]?.message).toHaveLength(1001);
  // What has no end takes no time.
  const began = warned(`299 - "${"\\".repeat(100_001)}`);
  expect(began).toEqual([]);
});

const policy = (status: string, generation = 2) => `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p, generation: ${generation}}
status: ${status}
`;

test("what type checking says of a policy is said of the text that was checked", () => {
  const warnings = JSON.stringify([
    {
      fieldRef: "spec.validations[0].expression",
      warning:
        "apps/v1, Kind=Deployment: ERROR: <input>:1:13: undefined field 'nope'\n | object.spec.nope\n | ............^\n",
    },
  ]);
  expect(
    typeChecked(policy(`{observedGeneration: 2, typeChecking: {expressionWarnings: ${warnings}}}`)),
  ).toEqual([
    {
      field: "spec.validations[0].expression",
      message:
        "spec.validations[0].expression: apps/v1, Kind=Deployment: ERROR: <input>:1:13: undefined field 'nope'",
    },
  ]);
  expect(typeChecked(policy("{observedGeneration: 2, typeChecking: {}}"))).toEqual([]);
  expect(typeChecked(policy("{observedGeneration: 1}"))).toBe("waits");
  expect(typeChecked(policy("{}"))).toBe("waits");
  expect(typeChecked("kind: Pod\n")).toBe("none");
});

test.each(["7", "[]", "{observedGeneration: 2, typeChecking: {expressionWarnings: {a: 1}}}"])(
  "a status of any shape ends nothing: %s",
  (status) => {
    expect(["waits", []]).toContainEqual(typeChecked(policy(status)));
  },
);
