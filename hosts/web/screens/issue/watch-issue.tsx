import { useEffect } from "react";
import { useRead, useWrite } from "../../live/calls.ts";
import type { Issue } from "../../live/records.ts";
import { useSession } from "../../live/session.ts";
import { Button } from "../../widgets/button.tsx";
import { useKeys } from "../../widgets/keys.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

/** Watches the issue or stops. What a watcher sees here is not news in their inbox any more. */
export const WatchIssue = ({ issue }: { readonly issue: Issue }) => {
  const { id: issueId, lastActivityAt } = issue;
  const self = useSession();
  const say = useToasts();
  const { data: watchers } = useRead("watchers.list", { issueId });
  const watch = useWrite("watchers.watch", { onRefused: say.refused });
  const unwatch = useWrite("watchers.unwatch", { onRefused: say.refused });
  const see = useWrite("watchers.watch");
  const isWatching = watchers?.some(({ userId }) => userId === self.userId) ?? false;
  const toggle = () => (isWatching ? unwatch.run({ issueId }) : watch.run({ issueId }));
  useKeys([
    { keys: "w", does: isWatching ? "Unsubscribe from this issue" : "Subscribe to this issue", run: toggle },
  ]);
  useEffect(() => {
    if (!isWatching) return;
    const check = () => {
      if (document.visibilityState === "visible") see.run({ issueId, seenUntil: lastActivityAt });
    };
    check();
    document.addEventListener("visibilitychange", check);
    return () => document.removeEventListener("visibilitychange", check);
  }, [isWatching, issueId, lastActivityAt]);
  return (
    <Button
      icon={isWatching ? "eye-off" : "eye"}
      busy={watch.busy || unwatch.busy}
      disabled={watchers === undefined}
      title="W"
      onClick={toggle}
    >
      {isWatching ? "Unsubscribe" : "Subscribe"}
    </Button>
  );
};
