import type { HeardEvent, LiveState } from "./live-event.ts";

/** Messages between the tabs of one browser: one of them follows the stream for all. */
export type Message =
  /** From a tab that begins, or that follows from now on: who follows, and which runs are shown? */
  | { readonly kind: "asks" }
  | { readonly kind: "shows"; readonly tab: string; readonly runId: string | null }
  | { readonly kind: "state"; readonly state: LiveState; readonly lastEventId: string | undefined }
  /** The runs whose logs arrive from now on. */
  | { readonly kind: "logs"; readonly runIds: readonly string[] }
  | { readonly kind: "event"; readonly event: HeardEvent };

export interface TabChannel {
  post(message: Message): void;
  close(): void;
}

/** Reaches the other tabs with the same name; nobody where each tab follows by itself. */
export const tabChannel = (name: string, hear: (message: Message) => void): TabChannel => {
  if (navigator.locks === undefined) return { post: () => {}, close: () => {} };
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }) => hear(data as Message);
  return { post: (message) => channel.postMessage(message), close: () => channel.close() };
};
