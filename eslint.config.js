import js from "@eslint/js";
import css from "@eslint/css";
import compat from "eslint-plugin-compat";
import lit from "eslint-plugin-lit";
import ts from "typescript-eslint";

/** Bans imports of folders of web/, and of a package. */
function mustNotKnow(message, names) {
  const group = names.flatMap((name) => (name === "lit" ? ["lit", "lit/*"] : [`**/${name}/**`]));
  return ["error", { patterns: [{ group, message }] }];
}

export default ts.config(
  { ignores: ["out/", "vendor/", "dist/", "node_modules/", "wasm/"] },
  { files: ["**/*.js", "**/*.mjs", "**/*.ts"], ...js.configs.recommended },
  {
    files: ["**/*.js", "**/*.mjs", "**/*.ts"],
    rules: {
      // What is long enough on one machine is too short on a busy one.
      "no-restricted-properties": [
        "error",
        {
          property: "waitForTimeout",
          message:
            "Wait for the condition it stands for: a locator, or until() or settled() of scripts/e2e/look.mjs.",
        },
      ],
    },
  },
  {
    files: ["web/**/*.ts", "vite.config.ts"],
    extends: [...ts.configs.strictTypeChecked, ...ts.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    plugins: { lit },
    rules: {
      ...lit.configs["flat/recommended"].rules,
      // A name from the API may be a command of its own: sh quotes (web/kube/shell-line.ts).
      "no-restricted-syntax": [
        "error",
        {
          selector:
            ":not(TaggedTemplateExpression) > TemplateLiteral[expressions.length>0][quasis.0.value.raw=/^\\s*(kubectl|nodehost|sudo|sh|cat|k)( |$)/]",
          message: "Put lines for a shell together with sh`…` of web/kube/shell-line.ts.",
        },
        {
          selector:
            "BinaryExpression[operator='+'] > Literal.left[value=/^\\s*(kubectl|nodehost|sudo) /]",
          message: "Put lines for a shell together with sh`…` of web/kube/shell-line.ts.",
        },
        {
          selector:
            "ConditionalExpression[test.operator='instanceof'][test.right.name='Error'][consequent.property.name='message']",
          message: "Take reason, which has what to do as well, or messageOf, of web/rpc/reason.ts.",
        },
      ],
      // A discriminated union is a type; an object's shape is an interface.
      "@typescript-eslint/consistent-type-definitions": ["error", "interface"],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": [
        "error",
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
    },
  },
  {
    // Nothing that Firefox or Safari lack, of the versions that package.json names.
    files: ["web/**/*.ts"],
    ignores: ["web/**/*.test.ts", "web/dev/**"],
    plugins: { compat },
    rules: { "compat/compat": "error" },
  },
  {
    // The same for style sheets; those inside views are checked by web/style/baseline.test.ts.
    files: ["web/**/*.css"],
    language: "css/css",
    plugins: { css },
    rules: { "css/use-baseline": ["error", { available: "newly" }] },
  },
  /*
   * Which way the page's folders import, as docs/architecture.md draws it: data ← page ← views,
   * data ← views, primitives ← views. Each list says what its folder must not know.
   */
  {
    // The worker's protocol is the only thing the page and the Worker share, and a cluster and what
    // is known of it must run without a document, as many as one likes in a page.
    files: [
      "web/boot/**",
      "web/breakage/**",
      "web/editions/**",
      "web/cluster/**",
      "web/configuration/**",
      "web/container/**",
      "web/explain/**",
      "web/kube/**",
      "web/lesson/**",
      "web/rpc/**",
      "web/sdk/**",
      "web/session/**",
      "web/share/**",
      "web/state/**",
      "web/term/line/**",
      "web/worker/**",
    ],
    // The frame of containers is an element of the page, and a document of its own.
    ignores: ["web/cluster/container-frame.ts", "web/container/frame.ts"],
    rules: {
      "no-restricted-globals": ["error", "document", "window", "location", "localStorage"],
      "no-restricted-imports": mustNotKnow(
        "Data knows neither page nor view: return data, let web/views draw it.",
        ["actions", "hub", "page", "ui", "views", "lit"],
      ),
    },
  },
  {
    files: ["web/offline/**"],
    rules: {
      "no-restricted-imports": mustNotKnow("It keeps files, and knows no page and no view.", [
        ...["actions", "cluster", "hub", "page", "session", "ui", "views", "lit"],
      ]),
    },
  },
  {
    files: ["web/page/**"],
    rules: {
      "no-restricted-imports": mustNotKnow(
        "The page knows no view and no cluster: a view fills in what it can do (web/page/page.ts).",
        ["actions", "cluster", "hub", "rpc", "session", "ui", "views", "lit"],
      ),
    },
  },
  {
    files: ["web/browser/**", "web/hub/**", "web/map/**", "web/editor/**", "web/term/*.ts"],
    rules: {
      "no-restricted-imports": mustNotKnow("It stands under views, and knows none.", [
        "actions",
        "page",
        "views",
      ]),
    },
  },
  {
    files: ["web/embed/**"],
    rules: {
      "no-restricted-imports": mustNotKnow(
        "What stands in somebody else's page knows the SDK, and nothing of ours.",
        // What a view is made of is fetched when it opens (web/embed-views).
        ["actions", "guide", "hub", "journey", "map", "page", "session", "views"],
      ),
    },
  },
  {
    files: ["web/embed-views/**"],
    rules: {
      "no-restricted-imports": mustNotKnow(
        "A view in somebody else's page stands over its element: the document is not ours.",
        ["hub", "journey"],
      ),
    },
  },
  {
    files: ["web/prose/**", "web/ui/**"],
    rules: {
      "no-restricted-imports": mustNotKnow(
        "A primitive knows no cluster and no page: give it what it draws.",
        [
          ...["actions", "boot", "cluster", "editor", "hub", "kube", "map", "page", "rpc"],
          ...["session", "term", "views"],
        ],
      ),
    },
  },
  {
    files: ["web/actions/**"],
    rules: {
      "no-restricted-imports": mustNotKnow("Actions are called by views, and know none.", [
        "views",
      ]),
    },
  },
  {
    files: ["web/views/**"],
    rules: {
      "no-restricted-imports": [
        "error",
        {
          patterns: [
            {
              group: ["../[a-z]*/**"],
              message:
                "A view knows no other's insides: what both need is in web/ui or web/actions, and web/workbench.ts puts views together.",
            },
            {
              group: ["**/workbench.ts", "**/main.ts"],
              message: "A view declares what it needs; the workbench gives it.",
            },
          ],
        },
      ],
    },
  },
  {
    files: ["scripts/**/*.mjs"],
    languageOptions: {
      globals: {
        Buffer: "readonly",
        URL: "readonly",
        console: "readonly",
        process: "readonly",
        setTimeout: "readonly",
        clearTimeout: "readonly",
        fetch: "readonly",
        performance: "readonly",
        // Inside page.evaluate:
        document: "readonly",
        self: "readonly",
        Blob: "readonly",
        TextEncoder: "readonly",
        WebSocket: "readonly",
        localStorage: "readonly",
        window: "readonly",
        globalThis: "readonly",
        getComputedStyle: "readonly",
        AbortController: "readonly",
        ClipboardEvent: "readonly",
        DataTransfer: "readonly",
        AbortSignal: "readonly",
        TextDecoder: "readonly",
        innerWidth: "readonly",
        PerformanceObserver: "readonly",
        MutationObserver: "readonly",
        sessionStorage: "readonly",
        Image: "readonly",
        requestAnimationFrame: "readonly",
        WebAssembly: "readonly",
        cancelAnimationFrame: "readonly",
        EventTarget: "readonly",
        MessageChannel: "readonly",
        Navigator: "readonly",
        Node: "readonly",
        location: "readonly",
        navigator: "readonly",
      },
    },
  },
);
