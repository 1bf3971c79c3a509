import type { Credentials } from "../../ports/credentials.ts";
import { deleteOldNotices } from "./delete-old-notices.ts";
import { recordPresence } from "./record-presence.ts";
import { saveSettings } from "./save-settings.ts";
import { type NoticeParts, sendNotices } from "./send-notices.ts";
import { sendTest } from "./send-test.ts";
import { showSettings } from "./show-settings.ts";
import { unsubscribe } from "./unsubscribe.ts";

interface NoticesContext extends NoticeParts {
  readonly credentials: Credentials;
}

/** The use cases of notices to people. */
export const notices = ({ inbox, channels, credentials, ...context }: NoticesContext) => ({
  showSettings: showSettings(context),
  saveSettings: saveSettings(context),
  notePresence: recordPresence(context),
  sendTest: sendTest({ channels, ...context }),
  unsubscribe: unsubscribe(credentials)(context),
  send: sendNotices({ inbox, channels, ...context }),
  deleteOld: deleteOldNotices(context),
});

export type Notices = ReturnType<typeof notices>;
