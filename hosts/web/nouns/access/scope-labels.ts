import type { AssistantScope } from "../../../../core/model/access/assistant-scope.ts";

/** The scopes of an assistant. */
export const scopeLabels: Readonly<
  Record<AssistantScope, { readonly label: string; readonly hint: string }>
> = {
  read: { label: "Read", hint: "See the issues, agents, runs and costs that you can see." },
  work: {
    label: "Work",
    hint: "Create and change issues, comment, and manage agents and projects as you can.",
  },
  decide: {
    label: "Decide for you",
    hint: "Approve requests, answer questions, allow tools, review and merge work, and manage members.",
  },
};
