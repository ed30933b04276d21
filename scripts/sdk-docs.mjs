/*
 * Writes docs/sdk.md from the types that the SDK exports and the comments that stand there:
 *
 *   node scripts/sdk-docs.mjs            writes it
 *   node scripts/sdk-docs.mjs --check    fails if it is not as it would be written (npm run check)
 *
 * Whatever is exported, and each member of it, has a comment: what has none is an error.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const FILE = "docs/sdk.md";
const ENTRIES = [
  ["tabernetes", "web/sdk/index.ts", "A cluster, and what it gives."],
  ["tabernetes/blocks", "web/embed/blocks.ts", "Code blocks that run, and all of the above."],
  ["tabernetes/elements", "web/embed/elements.ts", "Elements, and all of `tabernetes`."],
];

const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ".");
const program = ts.createProgram(
  ENTRIES.map(([, file]) => file),
  options,
);
const checker = program.getTypeChecker();
const lacking = [];
const seen = new Set();

const parts = [
  `# The SDK, by its types

Made by \`node scripts/sdk-docs.mjs\` from \`web/sdk\`, \`web/embed\` and the comments there, and held by \`npm run check\`: change them there. [embedding.md](embedding.md) tells how one begins, and has the elements' attributes.
`,
];
for (const [name, file, about] of ENTRIES) {
  parts.push(`## \`${name}\`\n\n${about}\n`);
  const own = checker
    .getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)))
    .map((symbol) =>
      symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
    )
    .filter((symbol) => !seen.has(symbol));
  // What is called, then what it is called with and gives.
  const rank = ({ flags }) => (flags & ts.SymbolFlags.Function ? 0 : 1);
  own.sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name, "en"));
  for (const symbol of own) {
    seen.add(symbol);
    parts.push(described(symbol));
  }
}
if (lacking.length > 0) {
  console.error(`sdk-docs: nothing says what these are:\n  ${lacking.join("\n  ")}`);
  process.exit(1);
}
const text = parts.join("\n");
if (!process.argv.includes("--check")) writeFileSync(FILE, text);
else if (readFileSync(FILE, "utf8") !== text) {
  console.error(`sdk-docs: ${FILE} is not what the types say: run node scripts/sdk-docs.mjs`);
  process.exit(1);
}

/** A heading, what its comment says, and its members. */
function described(symbol) {
  const [node] = symbol.declarations;
  const head = ts.isFunctionDeclaration(node) ? signature(node) : symbol.name;
  const lines = [`### \`${head}\``, "", comment(symbol, symbol.name), ""];
  if (ts.isTypeAliasDeclaration(node)) lines.push("```ts", node.getText(), "```", "");
  const above = (node.heritageClauses ?? []).flatMap(({ types }) => [...types]);
  if (above.length > 0) {
    lines.push(`All of ${above.map((type) => `\`${type.getText()}\``).join(", ")}, and:`, "");
  }
  const members = (node.members ?? []).filter(isPublic);
  for (const member of members) {
    const at = checker.getSymbolAtLocation(member.name);
    lines.push(`- \`${signature(member)}\`: ${comment(at, `${symbol.name}.${at.name}`)}`);
  }
  if (members.length > 0) lines.push("");
  return lines.join("\n");
}

/** What callers see: nothing private or internal, nothing that the browser calls, no constructor of an element. */
function isPublic(member) {
  if (!member.name || ts.isPrivateIdentifier(member.name)) return false;
  if (ts.getJSDocTags(member).some(({ tagName }) => tagName.text === "internal")) return false;
  return !/^(connectedCallback|disconnectedCallback)$/.test(member.name.getText());
}

/** A declaration without its body, on one line. */
function signature(node) {
  if (ts.isFunctionDeclaration(node)) {
    const parameters = node.parameters.map(({ name, type, initializer, questionToken }) => {
      const called = ts.isIdentifier(name) ? name.text : "options";
      return `${called}${initializer || questionToken ? "?" : ""}: ${type.getText()}`;
    });
    return `${node.name.text}(${parameters.join(", ")}): ${node.type.getText()}`;
  }
  const body = node.body ?? node.initializer;
  const end = body ? body.getStart() : node.getEnd();
  return node
    .getSourceFile()
    .text.slice(node.getStart(), end)
    .replace(/\/\*\*[\s\S]*?\*\//g, "")
    .replace(/\s+/g, " ")
    .replace(/[\s;={]+$/, "")
    .replaceAll("( ", "(")
    .replaceAll(", )", ")")
    .trim();
}

/** The comment of a symbol, on one line for each of its paragraphs. */
function comment(symbol, name) {
  const text = ts
    .displayPartsToString(symbol.getDocumentationComment(checker))
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replace(/\s+/g, " ").trim())
    .join("\n\n");
  if (text === "") lacking.push(name);
  // Outside of code a name in angle brackets would be markup.
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? part : part.replaceAll("<", "&lt;")))
    .join("");
}
