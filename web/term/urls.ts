/*
 * Addresses in what a program has printed. It is a stranger's text: only http and https are taken, of
 * a bounded length, and what is shown has to be where it leads.
 */

/** An address in a line. */
export interface UrlInLine {
  /** Where it stands. */
  readonly from: number;
  readonly to: number;
  readonly url: URL;
}

/** Characters of a line, and of an address, that are looked at; addresses of one line. */
const LONGEST_LINE = 8000;
const LONGEST = 2000;
const MOST = 20;

/** Without quotes, brackets and whatever else ends an address in a sentence, in YAML or in JSON. */
const ADDRESS = /(?<![\w.+-])https?:\/\/[!#-&(-;=?-Z_a-z~]+/gi;

export function urlsIn(line: string): UrlInLine[] {
  const found: UrlInLine[] = [];
  for (const { index, 0: all } of line.slice(0, LONGEST_LINE).matchAll(ADDRESS)) {
    if (index + all.length === LONGEST_LINE) break; // it goes on, and elsewhere
    const text = withoutEnd(all);
    const url = text.length <= LONGEST ? URL.parse(text) : null;
    if (url?.username !== "" || url.password !== "") continue;
    // "https://a\b" and "http://0x7f.1" lead elsewhere than they say.
    const [host = ""] = text.slice(text.indexOf("//") + 2).split(/[/?#]/, 1);
    if (host.replace(/:\d+$/, "").toLowerCase() !== url.hostname) continue;
    found.push({ from: index, to: index + text.length, url });
    if (found.length === MOST) break;
  }
  return found;
}

/**
 * What ends the sentence that an address stands in is no part of it, nor is a bracket that it does not open. In one
 * pass: a program may print a line of nothing else.
 */
function withoutEnd(text: string): string {
  let end = text.length;
  let unopened = count(text, ")") - count(text, "(");
  for (; end > 0; end--) {
    const last = text.charAt(end - 1);
    if (last === ")" && unopened > 0) unopened--;
    else if (!".,:;!?&".includes(last)) break;
  }
  return text.slice(0, end);
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}

/** Names that no resolver outside of a cluster or a machine knows. */
const WITHIN = /\.(?:localhost|local|internal|svc|test|invalid|home\.arpa)$/;

/**
 * Whether an address can lead out of here: by https to a name that others know, too. An address by
 * number is of the cluster, or of whatever network the reader's machine is in.
 */
export function leadsOutside({ protocol, hostname }: URL): boolean {
  return (
    protocol === "https:" &&
    /^[a-z0-9.-]+\.[a-z][a-z0-9-]+$/.test(hostname) &&
    !WITHIN.test(hostname)
  );
}
