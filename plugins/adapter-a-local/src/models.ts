import type { AdapterModel } from "../../../ports/agent-adapter.ts";

/** The command line lists no models and accepts any id its account may use. */
export const models: readonly AdapterModel[] = [
  { id: "claude-opus-5", label: "Claude Opus 5" },
  { id: "claude-fable-5", label: "Claude Fable 5" },
  { id: "claude-sonnet-5", label: "Claude Sonnet 5" },
  { id: "claude-opus-4-8", label: "Claude Opus 4.8" },
  { id: "claude-opus-4-7", label: "Claude Opus 4.7" },
  { id: "claude-opus-4-6", label: "Claude Opus 4.6" },
  { id: "claude-sonnet-4-6", label: "Claude Sonnet 4.6" },
  { id: "claude-haiku-4-5", label: "Claude Haiku 4.5" },
  { id: "opus", label: "Newest Opus" },
  { id: "sonnet", label: "Newest Sonnet" },
  { id: "haiku", label: "Newest Haiku" },
];
