import { useState } from "react";
import { useRead, useWrite } from "../live/calls.ts";
import { useSession } from "../live/session.ts";
import { Button } from "../widgets/button.tsx";
import { ConfirmDialog } from "../widgets/dialog.tsx";
import { Icon } from "../widgets/icon.tsx";
import { Time } from "../widgets/time.tsx";
import { useToasts } from "../widgets/toasts.tsx";

/** Tells instance admins that the agents of a restored backup are held, and releases them. */
export const RestoredBanner = () => {
  const { admin } = useSession();
  const health = useRead("system.health", {}, { enabled: admin, staleTime: Number.POSITIVE_INFINITY });
  const [isAsking, setAsking] = useState(false);
  const say = useToasts();
  const release = useWrite("system.releaseAfterRestore", {
    onDone: () => say.done("Agents released"),
    onRefused: () => setAsking(false),
  });
  const since = health.data?.heldAsRestoredSince;
  if (!since) return null;
  return (
    <div className="restored" role="status">
      <Icon name="hourglass" />
      <span className="grow">
        Restored from a backup (<Time at={since} />
        ): agents are held until you release them.
      </span>
      <Button small onClick={() => setAsking(true)}>
        Release agents
      </Button>
      {isAsking ? (
        <ConfirmDialog
          title="Release agents?"
          verb="Release agents"
          busy={release.busy}
          onConfirm={() => release.run({})}
          onClose={() => setAsking(false)}
        >
          Stop the original service first. Two copies must not run at the same time.
        </ConfirmDialog>
      ) : null}
    </div>
  );
};
