import { html, type TemplateResult } from "lit";
import { byTerminal } from "../../lesson/by-terminal.ts";
import type { DiskLesson } from "../../lesson/disk/disk.ts";
import { folderOf, namesScenario } from "../../lesson/load.ts";
import { once, type Pictures, type Reads } from "../../lesson/reads.ts";
import type { Session } from "../../session/session.ts";
import { webAddress } from "../../share/address.ts";
import { seen } from "../../share/seen.ts";

/** Where a lesson of somebody's comes from. */
export interface Source {
  /** By which the view knows it again. */
  readonly key: string;
  /** What is said of it before it is read. */
  readonly says: TemplateResult;
  /** What is read of it, each time anew. */
  reads(): Reads;
  /** Its folder; throws where it can have none. */
  folder(): URL;
  /** What an element that shows it calls it. */
  readonly src: string;
  readonly scenario: boolean;
  /** Its pictures, if they can be shown. */
  readonly pictures?: Pictures;
}

/** A lesson at an address, which the terminal reads. */
export function fromWeb(session: Pick<Session, "api">, url: string): Source {
  return {
    key: url,
    says: html`The link names <code>${seen(url)}</code>, which the terminal reads.`,
    reads: () => once(byTerminal(session.api)),
    folder: () => folderOf(webAddress(url, "lesson").href, document.baseURI),
    src: url,
    scenario: namesScenario(url),
  };
}

/** A lesson of the reader's own disk. */
export function fromDisk({ name, src, reads, pictures }: DiskLesson): Source {
  return {
    key: src,
    says: html`From this device: <code>${seen(name)}</code>. It was read in this page and sent
      nowhere.`,
    reads: () => once(reads),
    folder: () => new URL(src),
    pictures,
    src,
    scenario: false,
  };
}
