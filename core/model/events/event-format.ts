/** Messages for the incoming webhook of a chat. */
export const chatFormats = ["slack", "discord", "teams", "mattermost"] as const;
export type ChatFormat = (typeof chatFormats)[number];

/** `webhook`: signed as Standard Webhooks 1. */
export const eventFormats = ["webhook", ...chatFormats] as const;
export type EventFormat = (typeof eventFormats)[number];

/** `person`: somebody disabled it. `failing`: for a day. `gone`: its receiver answered 410. */
export const disabledReasons = ["person", "failing", "gone"] as const;
export type DisabledBecause = (typeof disabledReasons)[number];
