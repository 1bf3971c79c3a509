import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, use, useEffect, useMemo, useRef, useState } from "react";
import { clause } from "../../../core/model/shared/sentence.ts";
import type { CallName } from "../live/call-name.ts";
import { type InputOf, useWrite } from "../live/calls.ts";
import { Button } from "../widgets/button.tsx";
import { useToasts } from "../widgets/toasts.tsx";

interface Decision {
  /** The id of the record that it is about: it has one decision at a time. */
  readonly subject: string;
  /** "Approved: Mary Jackson." */
  readonly message: string;
  readonly send: () => Promise<unknown>;
}

/** A decision that is not sent yet, or is being sent, or that lists do not show yet. */
interface Held {
  readonly message: string;
  /** Whether it can still be undone. */
  readonly isHeld: boolean;
  /** When the service has taken it, in milliseconds since 1970; null: not yet. */
  readonly takenAt: number | null;
}

interface FinalWrites {
  /** By subject. */
  readonly waiting: ReadonlyMap<string, Held>;
  /** Why the last decision about a subject was not carried out. */
  readonly refusals: ReadonlyMap<string, unknown>;
  readonly hold: (decision: Decision) => void;
  readonly takeBack: (subject: string) => void;
  /** Sends at once what is held. */
  readonly flush: () => Promise<void>;
}

const Holding = createContext<FinalWrites | null>(null);

export const useFinalWrites = (): FinalWrites => use(Holding)!;

/** How long a decision is held back that cannot be undone once the service has it. */
export const heldMs = 5_000;

const without = <Value,>(all: ReadonlyMap<string, Value>, key: string): ReadonlyMap<string, Value> =>
  new Map([...all].filter(([each]) => each !== key));

/**
 * Holds final decisions back for some seconds, in which they can be undone: here, because they outlive the screen on which they
 * were made. A page that is hidden or left sends them at once, and one that is left offline asks first: none is lost without a
 * word. A refusal is a toast, and stands where the decision was made.
 */
export const FinalWritesHolder = ({ children }: { readonly children: ReactNode }) => {
  const say = useToasts();
  const queries = useQueryClient();
  const [waiting, setWaiting] = useState<ReadonlyMap<string, Held>>(new Map());
  const [refusals, setRefusals] = useState<ReadonlyMap<string, unknown>>(new Map());
  const pending = useRef(
    new Map<string, { readonly send: () => Promise<void>; readonly drop: () => void }>(),
  );
  const value = useMemo(() => {
    /** Lists that still show what was decided are being read again. */
    const reread = () =>
      new Promise<void>((resolve) => {
        const check = () => {
          if (queries.isFetching() > 0) return;
          stop();
          resolve();
        };
        const stop = queries.getQueryCache().subscribe(check);
        check();
      });
    const takeBack = (subject: string) => {
      const decision = pending.current.get(subject);
      // A decision that is being sent cannot be undone any more.
      if (decision === undefined) return;
      decision.drop();
      setWaiting((all) => without(all, subject));
    };
    const hold = ({ subject, message, send }: Decision) => {
      if (pending.current.has(subject)) return;
      const drop = () => {
        clearTimeout(timer);
        pending.current.delete(subject);
        close();
      };
      const sendNow = async () => {
        drop();
        setWaiting((all) => new Map(all).set(subject, { message, isHeld: false, takenAt: null }));
        try {
          await send();
          const takenAt = Date.now();
          setWaiting((all) => new Map(all).set(subject, { message, isHeld: false, takenAt }));
          await reread();
        } catch (error) {
          setRefusals((all) => new Map(all).set(subject, error));
          say.refused(notDone(message, error));
        }
        setWaiting((all) => without(all, subject));
      };
      const timer = setTimeout(() => void sendNow(), heldMs);
      const close = say.undoable(message, () => takeBack(subject));
      pending.current.set(subject, { send: sendNow, drop });
      setRefusals((all) => without(all, subject));
      setWaiting((all) => new Map(all).set(subject, { message, isHeld: true, takenAt: null }));
    };
    const flush = async () => {
      await Promise.all([...pending.current.values()].map(({ send }) => send()));
    };
    return { hold, takeBack, flush };
  }, [queries, say]);
  useEffect(() => {
    const onHidden = () => {
      if (document.visibilityState === "hidden") void value.flush();
    };
    const onLeave = () => void value.flush();
    const onBeforeLeave = (event: BeforeUnloadEvent) => {
      if (pending.current.size > 0 && !navigator.onLine) event.preventDefault();
    };
    document.addEventListener("visibilitychange", onHidden);
    window.addEventListener("pagehide", onLeave);
    window.addEventListener("beforeunload", onBeforeLeave);
    return () => {
      document.removeEventListener("visibilitychange", onHidden);
      window.removeEventListener("pagehide", onLeave);
      window.removeEventListener("beforeunload", onBeforeLeave);
    };
  }, [value]);
  const all = useMemo(() => ({ ...value, waiting, refusals }), [value, waiting, refusals]);
  return <Holding value={all}>{children}</Holding>;
};

/** A write that cannot be undone once it is sent: `run` holds it back, `waits` says what is held, `error` why it was refused. */
export const useFinalWrite = <Name extends CallName>(name: Name, subject: string, onSent?: () => void) => {
  const { hold, waiting, refusals } = useFinalWrites();
  const { runAndWait } = useWrite(name, onSent === undefined ? {} : { onDone: onSent });
  return {
    run: (input: InputOf<Name>, message: string) => hold({ subject, message, send: () => runAndWait(input) }),
    waits: waiting.get(subject)?.message ?? null,
    error: refusals.get(subject) ?? null,
  };
};

const notDone = (message: string, error: unknown) =>
  new Error(`Not done: ${clause(message)}. ${error instanceof Error ? error.message : error}`);

/** In place of the buttons of a decision that is held back, or on its way. */
export const HeldDecision = ({ subject }: { readonly subject: string }) => {
  const { waiting, takeBack } = useFinalWrites();
  const { message, isHeld } = waiting.get(subject) ?? { message: "", isHeld: false };
  return (
    <div className="form-actions">
      <p className="muted grow">{isHeld ? message : `${message} Sending…`}</p>
      {isHeld ? (
        <Button icon="undo-2" onClick={() => takeBack(subject)}>
          Undo
        </Button>
      ) : null}
    </div>
  );
};
