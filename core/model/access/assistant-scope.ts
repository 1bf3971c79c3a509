/** The rights of a person that an assistant may have: to read, to work, and to decide in their place. */
export const assistantScopes = ["read", "work", "decide"] as const;
export type AssistantScope = (typeof assistantScopes)[number];
