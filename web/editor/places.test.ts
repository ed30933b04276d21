import { describe, expect, test } from "vitest";
import { placesIn } from "./places.ts";

const AUTHORIZATION = `apiVersion: apiserver.config.k8s.io/v1
kind: AuthorizationConfiguration
authorizers:
- type: RBAC
  name: rbac
- type: Wibhook
  name: hook
`;
const ADMISSION = `apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: PodSecurity
- name: EventRateLimit
  configuration:
    limits:
    - {type: Namespace, qps: -1, burst: 2}
`;

/** What is marked, as text. */
function marked(text: string, problem: string): string[] {
  return placesIn(text, problem).map(({ from, to }) => text.slice(from, to));
}

describe("what upstream says of a file", () => {
  // Each as v1.36's loaders word it.
  test.each([
    [
      AUTHORIZATION,
      'validate kube-apiserver options: authorizers[1].type: Unsupported value: "Wibhook": supported values: "ABAC"',
      ["type: Wibhook"],
    ],
    [
      AUTHORIZATION.replace("  name: rbac", "  nome: rbac"),
      'strict decoding error: unknown field "authorizers[0].nome"',
      ["nome: rbac"],
    ],
    [
      "jwt:\n- issuer:\n    url: http://x\n  claimMappings:\n    groups: {expression: 'claims.('}\n",
      'AuthenticationConfiguration: invalid authentication configuration: [jwt[0].issuer.url: Invalid value: "http://x": URL scheme must be https, jwt[0].claimMappings.groups.expression: Invalid value: "claims.(": compilation failed]',
      ["url: http://x", "expression: 'claims.('"],
    ],
    [
      ADMISSION,
      'couldn\'t init admission plugin "EventRateLimit": limits[0].qps: Invalid value: -1: must be positive',
      ["qps: -1"],
    ],
    [
      "kind: Policy\nrules:\n  - level: Metadata\n bad\n",
      "audit Policy: failed decoding: yaml: line 3: did not find expected key: from file audit.yaml",
      ["bad"],
    ],
    [
      "# c\n{\n",
      "ABAC policies: error reading policy file abac.jsonl, line 2: {: couldn't get version/kind",
      ["{"],
    ],
    [
      'a,b,c\n  a,"b\n',
      'static token file: parse error on line 2, column 6: extraneous or missing " in quoted-field',
      ['a,"b'],
    ],
    ["--v=2\n  --nope=1\n", "parse kube-apiserver flags: unknown flag: --nope", ["--nope=1"]],
    [
      "--v=2\n--max-requests-inflight=many\n",
      'parse kube-apiserver flags: invalid argument "many" for "--max-requests-inflight" flag: strconv.ParseInt',
      ["--max-requests-inflight=many"],
    ],
    [
      "--v=2\n--enable-admission-plugins=No\n",
      'validate kube-apiserver options: enable-admission-plugins plugin "No" is unknown',
      ["--enable-admission-plugins=No"],
    ],
  ])("is marked where it belongs (%#)", (text, problem, want) => {
    expect(marked(text, problem)).toEqual(want);
  });

  test("has each place's own words", () => {
    const [first, second] = placesIn(
      "a:\n  b: 1\n  c: 2\n",
      "Form: [a.b: Required value: one, a.c: Forbidden: two]",
    );
    expect(first?.message).toBe("a.b: Required value: one");
    expect(second?.message).toBe("a.c: Forbidden: two");
  });

  test.each([
    ["static token file: token file 'tokens.csv' must have at least 3 columns", "a,b\n"],
    ["authorizers: Required value: at least one", "kind: AuthorizationConfiguration\n"],
    ["error on line 70000", "one line"],
    ["error on line 0", "one line"],
    ["unknown flag: --v", "--v2=1\n# --v\n"],
    ["", ""],
  ])("is marked nowhere if it says no place that there is: %s", (problem, text) => {
    expect(placesIn(text, problem)).toEqual([]);
  });

  test("is bounded, whatever stands in it", () => {
    const many = Array.from({ length: 500 }, (_, i) => `a[${i}].b: Forbidden: x`).join(", ");
    expect(placesIn("a:\n- {b: 1}\n", many).length).toBeLessThanOrEqual(50);
    const long = "a".repeat(1 << 20);
    for (const hostile of [
      long,
      `${long}.`.repeat(2),
      "a[".repeat(1 << 19),
      "a.".repeat(1 << 19),
    ]) {
      expect(placesIn("a: 1", hostile)).toEqual([]);
    }
  });
});
