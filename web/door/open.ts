import type { App } from "../app.ts";
import { DoorView } from "./door-view.ts";
import type { takePairing } from "./pairing.ts";

/** Opens the door to the hub that the page was opened for, if it was. */
export async function openDoor(app: App, pairing: ReturnType<typeof takePairing>): Promise<void> {
  const params = await pairing;
  if (!params) return;
  document.body.append(new DoorView(app.door));
  app.door.open(app.cluster.client, params);
}
