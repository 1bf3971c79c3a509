import { useEffect, useRef, useSyncExternalStore } from "react";
import { useLocation } from "wouter";
import { call, useRead } from "../live/calls.ts";
import { baseUrl } from "../live/client.ts";
import { live } from "../live/live-store.ts";
import { readPushChoice } from "../live/push-choice.ts";
import { Button } from "../widgets/button.tsx";
import { Icon } from "../widgets/icon.tsx";
import type { MenuItem } from "../widgets/menu.tsx";

/** A preference; nothing until the person was asked. */
const key = "boardroom.notifications";

type Choice = "on" | "off" | null;

const listeners = new Set<() => void>();
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
const read = (): Choice => localStorage.getItem(key) as Choice;
const choose = (choice: "on" | "off"): void => {
  localStorage.setItem(key, choice);
  for (const each of listeners) each();
};

/** Browsers have them for pages that came over HTTPS, or from this machine. */
const isPossible = (): boolean => "Notification" in globalThis && isSecureContext;

/** Asks the browser, which asks the person unless it knows the answer. */
const turnOn = async (): Promise<void> =>
  choose((await Notification.requestPermission()) === "granted" ? "on" : "off");

/** Turns notifications on and off, in the menu of the person. */
export const notificationItems = (): readonly MenuItem[] => {
  const isOn = read() === "on";
  if (!isPossible() || readPushChoice() !== null) return [];
  const isDenied = Notification.permission === "denied";
  return [
    {
      label: isOn ? "Turn desktop notifications off" : "Turn desktop notifications on",
      icon: "bell",
      disabled: isDenied,
      ...(isDenied ? { hint: "blocked by your browser" } : {}),
      run: () => (isOn ? choose("off") : void turnOn()),
    },
  ];
};

/** Offers notifications once. */
export const NotificationOffer = () => {
  const choice = useSyncExternalStore(subscribe, read);
  if (choice !== null || readPushChoice() !== null || !isPossible() || Notification.permission === "denied")
    return null;
  return (
    <div className="restored">
      <Icon name="bell" />
      <span className="grow">Turn on desktop notifications?</span>
      <Button small onClick={() => void turnOn()}>
        Enable
      </Button>
      <Button small kind="quiet" onClick={() => choose("off")}>
        No
      </Button>
    </div>
  );
};

/** Tells the person, who looks at something else, what waits since the last look; one tab does so for all. */
export const useNotifications = (): void => {
  const [, go] = useLocation();
  const { data, dataUpdatedAt } = useRead("inbox.counts", {});
  const seenUntil = useRef<string | null>(null);
  useEffect(() => {
    // Also where the counts were read again, and are as before.
    if (data === undefined || dataUpdatedAt === 0) return;
    const since = seenUntil.current;
    // A browser with push gets its notices from the service.
    const tells = read() === "on" && readPushChoice() === null && isPossible() && live.followsForAll();
    if (since === null || !tells || document.hasFocus()) {
      seenUntil.current = new Date().toISOString();
      return;
    }
    void (async () => {
      const { items } = await call("inbox.list", { limit: 500 });
      const fresh = items.filter(({ waitingSince }) => waitingSince > since);
      const [first] = fresh;
      if (first === undefined) return;
      seenUntil.current = fresh.at(-1)!.waitingSince;
      const title =
        fresh.length === 1 ? "1 item needs your attention" : `${fresh.length} items need your attention`;
      const note = new Notification(title, {
        body: `${first.companyName ?? "This instance"}: ${first.subject.title}`,
        icon: `${baseUrl}/icon.svg`,
        tag: "boardroom",
        silent: true,
      });
      note.onclick = () => {
        window.focus();
        go("/inbox");
        note.close();
      };
    })().catch(() => {});
  }, [data, dataUpdatedAt, go]);
};
