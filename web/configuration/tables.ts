import type { ConfigurationFiles } from "../rpc/protocol.ts";

/** A file that means something; web/configuration/forms.yaml says what the fields mean. */
export interface Form {
  readonly file: string;
  readonly label: string;
  readonly is: string;
}

/** Something to begin with; web/configuration/templates.yaml says what the fields mean. */
export interface Template {
  readonly name: string;
  readonly title: string;
  readonly try?: string;
  readonly files: Readonly<ConfigurationFiles>;
}

type Sentences = Readonly<Record<string, string | undefined>>;

const tables = import.meta.glob("./*.yaml", { eager: true, import: "default" });

export const FORMS = tables["./forms.yaml"] as readonly Form[];

export const TEMPLATES = tables["./templates.yaml"] as readonly Template[];

/** What each authenticator, authorizer and admission plugin does, by its name. */
export const SENTENCES = tables["./access-controls.yaml"] as Readonly<
  Record<"authenticators" | "authorizers" | "admission", Sentences>
>;

/** 32 random bytes in base64: a key of EncryptionConfiguration. */
export function randomKey(): string {
  return btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));
}

/** A template's files, with a key of their own where they want one. */
export function filesOf({ files }: Template, key = randomKey): ConfigurationFiles {
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => [name, text.replace(/\bKEY\b/g, () => key())]),
  );
}
