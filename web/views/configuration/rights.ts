import { html, LitElement, nothing } from "lit";
import {
  EVERYBODY,
  ofEverybody,
  parseResource,
  review,
  whoIs,
  type Verdict,
} from "../../configuration/rights.ts";
import type { Right, Subject, WhoMay } from "../../rpc/protocol.ts";
import { reason } from "../../rpc/reason.ts";
import type { Session } from "../../session/session.ts";
import { base } from "../../ui/base.ts";
import { define } from "../../ui/define.ts";
import { partStyle } from "./style.ts";

/** What it stands over. */
export interface RightsNeeds {
  session: Pick<Session, "controlPlane" | "fetch">;
}

const VERBS = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];

/** Of how many who may the reason is asked. */
const REASONS = 40;

interface Answer {
  asked: string;
  verdict: Verdict;
  chain: WhoMay["chain"];
  subjects: readonly { subject: Subject; reason: string }[];
  more: number;
  problem: string;
}

/** "May X do Y to Z, and why", and who else may. */
export class RightsView extends LitElement {
  static override properties = {
    answer: { state: true },
    problem: { state: true },
    busy: { state: true },
  };
  static override styles = [base, partStyle];
  declare answer: Answer | undefined;
  declare problem: string;
  declare busy: boolean;
  readonly #on: RightsNeeds;

  constructor(on: RightsNeeds) {
    super();
    this.#on = on;
    this.answer = undefined;
    this.problem = "";
    this.busy = false;
  }

  override render() {
    return html`<h2>May somebody do something, and why</h2>
      <p class="quiet-text">
        The authorizers in force are asked, by a SubjectAccessReview. A ServiceAccount's user is
        system:serviceaccount:NAMESPACE:NAME.
      </p>
      <form @submit=${this.#ask}>
        <label>May <input name="user" value="jane" required maxlength="253" /></label>
        <label>of <input name="groups" placeholder="groups, with commas" maxlength="1000" /></label>
        <label
          ><input name="verb" list="verbs" value="list" size="9" required aria-label="Verb"
        /></label>
        <datalist id="verbs">
          ${VERBS.map((verb) => html`<option value=${verb}></option>`)}
        </datalist>
        <label
          ><input
            name="what"
            value="pods"
            required
            maxlength="500"
            aria-label="Resource, as deployments.apps/scale, or a path"
        /></label>
        <label>called <input name="name" placeholder="any" maxlength="253" /></label>
        <label
          >in <input name="namespace" value="default" placeholder="all" maxlength="63"
        /></label>
        <button class="button primary" ?disabled=${this.busy}>Ask</button>
      </form>
      ${this.problem ? html`<p class="problem" role="alert">${this.problem}</p>` : nothing}
      ${this.answer ? this.#answer(this.answer) : nothing}`;
  }

  #answer({ asked, verdict, chain, subjects, more, problem }: Answer) {
    const { allowed, denied, reason } = verdict;
    return html`<p class="verdict" role="status" data-state=${allowed ? "allowed" : "refused"}>
        ${asked}: <b>${allowed ? "yes" : "no"}</b>${
          reason ? `. ${reason}` : allowed ? "" : denied ? ", it is denied." : ", nobody allows it."
        }
      </p>
      ${verdict.problem ? html`<p class="problem">${verdict.problem}</p>` : nothing}
      <h2>Who may</h2>
      <p class="quiet-text">The authorizers in force, in the order in which they are asked:</p>
      <ol class="chain">
        ${chain.map(
          ({ type, name }) =>
            html`<li>
              <span class="mono">${name}</span>, ${type}:
              ${ofEverybody(type) || "whom it lists below"}
            </li>`,
        )}
      </ol>
      <table class="cards">
        <thead>
          <tr>
            <th>Kind</th>
            <th>Name</th>
            <th>By</th>
            <th>Why</th>
          </tr>
        </thead>
        <tbody>
          ${subjects.map(
            ({ subject: { kind, namespace, name, group, by }, reason: why }) =>
              html`<tr>
                <td>${kind}</td>
                <td class="mono">
                  ${namespace ? `${namespace}/${name}` : name}${group ? ` in ${group}` : nothing}
                </td>
                <td>${by ?? "no authorizer binds it"}</td>
                <td class="wide">${why}</td>
              </tr>`,
          )}
        </tbody>
      </table>
      ${more > 0 ? html`<p>and ${more} more</p>` : nothing}
      ${problem ? html`<p class="problem">${problem}</p>` : nothing}`;
  }

  readonly #ask = (event: SubmitEvent) => {
    event.preventDefault();
    const { elements } = event.target as HTMLFormElement;
    const field = (name: string) => (elements.namedItem(name) as HTMLInputElement).value.trim();
    const right: Right = {
      verb: field("verb"),
      namespace: field("namespace"),
      name: field("name"),
      ...parseResource(field("what")),
    };
    const groups = field("groups")
      .split(",")
      .map((group) => group.trim())
      .filter((group) => group !== "");
    void this.#find({ user: field("user"), groups: [...groups, EVERYBODY] }, right);
  };

  async #find(who: { user: string; groups: string[] }, right: Right): Promise<void> {
    const { session } = this.#on;
    this.busy = true;
    try {
      const verdict = await review(session.fetch, who, right);
      const { chain, subjects, more, problem = "" } = await session.controlPlane.whoMay(right);
      const reasons = await Promise.all(
        subjects.slice(0, REASONS).map((subject) =>
          review(session.fetch, whoIs(subject), right).then(
            (of) => of.reason || (of.allowed ? "" : "not by the authorizers in force"),
            () => "",
          ),
        ),
      );
      const what = right.path || [right.resource, right.subresource].filter(Boolean).join("/");
      this.answer = {
        asked: `May ${who.user} ${right.verb} ${what}`,
        verdict,
        chain,
        subjects: subjects.map((subject, i) => ({ subject, reason: reasons[i] ?? "" })),
        more,
        problem,
      };
      this.problem = "";
    } catch (error) {
      this.answer = undefined;
      this.problem = `Ask who may: ${reason(error)}`;
    } finally {
      this.busy = false;
    }
  }
}

define("tn-rights", RightsView);
