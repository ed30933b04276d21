import { LitElement } from "lit";
import type { ActionNeeds } from "../../actions/object.ts";
import type { Session } from "../../session/session.ts";
import type { Page } from "../../page/page.ts";
import type { ApiPlace } from "../../kube/apipath.ts";
import type { KubeObject, Row } from "../../kube/types.ts";

/** The object that a tab of the inspector is about. */
export interface Subject {
  place: ApiPlace;
  /** As the server's table has it now; the last known, once it has been deleted. */
  row: Row<KubeObject>;
  deleted: boolean;
}

/** What the tabs need, taken together. */
export type TabNeeds = ActionNeeds & {
  session: Pick<Session, "api" | "catalog" | "cluster" | "fetch" | "pods">;
  page: Pick<Page, "route" | "showEvent">;
};

/** A tab of the inspector. `subject` is set anew whenever the object changes. */
export abstract class ObjectTab extends LitElement {
  static override properties = {
    subject: { attribute: false },
    option: { attribute: false },
  };
  declare subject: Subject;
  /** What the address says besides: "edit" or "previous". */
  declare option: string;
  protected readonly on: TabNeeds;

  constructor(on: TabNeeds) {
    super();
    this.on = on;
    this.option = "";
  }
}
