import { deleteOldNotices } from "./delete-old-notices.ts";
import { notePresence } from "./note-presence.ts";
import { saveSettings } from "./save-settings.ts";
import { type NoticeParts, sendNotices } from "./send-notices.ts";
import { showSettings } from "./show-settings.ts";

/** The use cases of notices to people. */
export const notices = ({ inbox, channels, ...context }: NoticeParts) => ({
  showSettings: showSettings(context),
  saveSettings: saveSettings(context),
  notePresence: notePresence(context),
  send: sendNotices({ inbox, channels, ...context }),
  deleteOld: deleteOldNotices(context),
});

export type Notices = ReturnType<typeof notices>;
