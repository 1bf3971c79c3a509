import { lazy, Suspense, useEffect, useState } from "react";
import { useRead } from "../live/calls.ts";
import { useSession } from "../live/session.ts";
import { Button } from "../widgets/button.tsx";
import { Icon } from "../widgets/icon.tsx";

const ChangesDialog = lazy(async () => ({ default: (await import("./changes-dialog.tsx")).ChangesDialog }));

/** The version whose changes this browser has shown. */
const seenKey = "boardroom.seen-version";

/** Tells instance admins once that the service was upgraded, and what changed. */
export const UpgradeBanner = () => {
  const { admin } = useSession();
  const health = useRead("system.health", {}, { enabled: admin, staleTime: Number.POSITIVE_INFINITY });
  const [seen, setSeen] = useState(() => localStorage.getItem(seenKey));
  const [isOpen, setOpen] = useState(false);
  const version = health.data?.version;
  useEffect(() => {
    if (version !== undefined && seen === null) localStorage.setItem(seenKey, version);
  }, [version, seen]);
  if (version === undefined || seen === null || seen === version) return null;
  const close = () => {
    localStorage.setItem(seenKey, version);
    setSeen(version);
  };
  return (
    <div className="restored" role="status">
      <Icon name="info" />
      <span className="grow">Boardroom was upgraded to version {version}.</span>
      <Button small onClick={() => setOpen(true)}>
        What changed
      </Button>
      <Button small kind="quiet" onClick={close}>
        Dismiss
      </Button>
      {isOpen ? (
        <Suspense fallback={null}>
          <ChangesDialog seen={seen} onClose={close} />
        </Suspense>
      ) : null}
    </div>
  );
};
