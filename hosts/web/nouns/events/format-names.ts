import type { EventFormat } from "../../../../core/model/events/event-format.ts";

export const formatNames: Readonly<Record<EventFormat, string>> = {
  webhook: "Signed webhook",
  slack: "Slack",
  discord: "Discord",
  teams: "Microsoft Teams",
  mattermost: "Mattermost",
};
