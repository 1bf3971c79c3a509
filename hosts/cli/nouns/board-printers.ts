import { strong, when } from "../print/cells.ts";
import { columns, idColumn, type Printer } from "../print/printers.ts";

export const boardPrinters: readonly Printer[] = [
  columns(
    "MemberShape",
    { title: "MEMBER", show: ({ name }, paper) => strong(name, paper), grows: true },
    { title: "ROLE", show: ({ role }) => role },
    { title: "USER ID", show: ({ userId }) => userId },
  ),
  columns(
    "PersonShape",
    { title: "PERSON", show: ({ name }, paper) => strong(name, paper), grows: true },
    { title: "USER ID", show: ({ userId }) => userId },
  ),
  columns(
    "BoardUserShape",
    { title: "USER", show: ({ name }, paper) => strong(name, paper), grows: true },
    { title: "ADMIN", show: ({ admin }) => (admin ? "yes" : "–") },
    { title: "MADE", show: when("createdAt"), goes: 1 },
    { title: "DISABLED", show: when("disabledAt") },
    idColumn,
  ),
  columns(
    "BoardTokenShape",
    { title: "TOKEN", show: ({ name }, paper) => strong(name, paper), grows: true },
    { title: "MADE", show: when("createdAt"), goes: 1 },
    { title: "LAST USED", show: when("lastUsedAt"), goes: 2 },
    { title: "EXPIRES", show: when("expiresAt") },
    { title: "REVOKED", show: when("revokedAt") },
    idColumn,
  ),
  columns(
    "WebSessionShape",
    { title: "BROWSER", show: ({ device }) => device ?? "–", grows: true },
    { title: "ADDRESS", show: ({ address }) => address ?? "–", goes: 3 },
    { title: "LAST USED", show: when("lastUsedAt") },
    { title: "SIGNED IN", show: when("createdAt"), goes: 4 },
    { title: "EXPIRES", show: when("expiresAt"), goes: 1 },
    { title: "THIS ONE", show: ({ current }) => (current ? "yes" : "–"), goes: 2 },
    idColumn,
  ),
  columns(
    "SignInShape",
    {
      title: "RESULT",
      show: ({ refusal, newDevice }) => refusal ?? (newDevice ? "new device" : "signed in"),
      grows: true,
    },
    { title: "BY", show: ({ method }) => method },
    { title: "BROWSER", show: ({ device }) => device ?? "–", grows: true },
    { title: "ADDRESS", show: ({ address }) => address ?? "–", goes: 1 },
    { title: "WHEN", show: when("createdAt") },
  ),
  columns(
    "AssistantShape",
    { title: "ASSISTANT", show: ({ name }, paper) => strong(name, paper), grows: true },
    { title: "FROM", show: ({ host }) => host, goes: 2 },
    { title: "MAY", show: ({ scopes }) => scopes.join(", ") },
    { title: "CONNECTED", show: when("createdAt"), goes: 1 },
    { title: "LAST USED", show: when("lastUsedAt") },
    idColumn,
  ),
  columns(
    "PasskeyShape",
    { title: "PASSKEY", show: ({ name }, paper) => strong(name, paper), grows: true },
    { title: "ADDED", show: when("createdAt"), goes: 1 },
    { title: "LAST USED", show: when("lastUsedAt") },
    idColumn,
  ),
  columns(
    "SavedViewShape",
    { title: "VIEW", show: ({ name }, paper) => strong(name, paper), grows: true },
    { title: "QUERY", show: ({ query }) => query, grows: true },
    { title: "CHANGED", show: when("updatedAt"), goes: 1 },
    idColumn,
  ),
];
