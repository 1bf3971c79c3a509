import { useCallback, useEffect, useRef, useState } from "react";
import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { type PushState, pushState, renewPush, turnOffPush, turnOnPush } from "../../live/push.ts";
import { useSession } from "../../live/session.ts";
import { Button } from "../../widgets/button.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Section } from "../../widgets/section.tsx";
import { Time } from "../../widgets/time.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

type Device = AnswerOf<"pushSubscriptions.list">[number];

/** The devices that show notices to the person, this one first of all. */
export const PushDevices = () => {
  const say = useToasts();
  const devices = useRead("pushSubscriptions.list", {});
  const here = useThisDevice(() => void devices.refetch());
  const remove = useWrite("pushSubscriptions.delete", { onDone: () => say.done("Device removed") });
  const test = useWrite("pushSubscriptions.test", { onDone: () => say.done("Test notice sent") });
  const error = devices.error ?? here.error ?? remove.error ?? test.error;
  const removeDevice = ({ id, current }: Device) => {
    if (current) here.turnOff();
    remove.run({ pushSubscriptionId: id });
  };
  return (
    <Section title="Notices on your devices">
      <p className="muted">
        Get a notice on your phone or computer when something waits for you, even while Boardroom is closed.
      </p>
      {error === null ? null : <Problem error={error} />}
      {here.state === "off" ? (
        <Button busy={here.busy} onClick={here.turnOn}>
          Allow notices on this device
        </Button>
      ) : here.state === null || here.state === "on" ? null : (
        <p className="muted">{unavailable[here.state]}</p>
      )}
      <ul className="plain-list">
        {devices.data?.map((each) => (
          <li key={each.id} className="row list-row">
            <span className="grow">
              {nameOf(each)}
              <span className="faint">
                {" · added "}
                <Time at={each.createdAt} />
                {each.lastUsedAt === null ? (
                  " · no notice yet"
                ) : (
                  <>
                    {" · last notice "}
                    <Time at={each.lastUsedAt} />
                  </>
                )}
                {each.lastError === null ? null : ` · last attempt failed: ${each.lastError}`}
              </span>
            </span>
            <Button small busy={test.busy} onClick={() => test.run({ pushSubscriptionId: each.id })}>
              Send test notice
            </Button>
            <Button
              small
              kind="danger"
              aria-label={`Remove ${nameOf(each)}`}
              onClick={() => removeDevice(each)}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
    </Section>
  );
};

const nameOf = ({ device, current }: Device): string =>
  `${device ?? "Unknown browser"}${current ? " (this device)" : ""}`;

const unavailable: Readonly<Record<Exclude<PushState, "on" | "off">, string>> = {
  unsupported: "This browser doesn't support push notices.",
  insecure: "Notices on devices need an https address. Ask your admin to set SERVICE_PUBLIC_URL.",
  needs_install:
    "On iPhone and iPad, install Boardroom first: tap Share, then Add to Home Screen, and open it from there.",
  blocked: "This browser blocks notices of Boardroom. Allow notifications in its settings for this site.",
};

/** Whether this device shows notices, and how that is changed. `onChange` reads the list again. */
const useThisDevice = (onChange: () => void) => {
  const { userId } = useSession();
  const [state, setState] = useState<PushState | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const read = useCallback(() => pushState(userId).then(setState, setError), [userId]);
  const changed = useRef(onChange);
  changed.current = onChange;
  useEffect(() => {
    // Somebody who has signed in again sees this device at once.
    void renewPush(userId)
      .catch(() => {})
      .then(read)
      .then(() => changed.current());
  }, [userId, read]);
  const change = async (work: () => Promise<unknown>) => {
    setBusy(true);
    setError(null);
    await work().catch(setError);
    await read();
    setBusy(false);
    onChange();
  };
  return {
    state,
    busy,
    error,
    turnOn: () => void change(() => turnOnPush(userId)),
    turnOff: () => void change(turnOffPush),
  };
};
