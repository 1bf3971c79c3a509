import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Button, IconButton } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { useKeys } from "./keys.tsx";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isRefusal: boolean;
  /** Closed by its caller alone. */
  readonly staysOpen?: boolean;
  readonly undo: (() => void) | undefined;
}

interface Say {
  /** A completed action, with its undo where the lifecycle has one. */
  done(text: string, undo?: () => void): void;
  /** An action that is about to be carried out, and can be undone until the returned function is called. */
  undoable(text: string, undo: () => void): () => void;
  /** A refusal that no field or place of the screen can show. */
  refused(error: unknown): void;
}

const Saying = createContext<Say | null>(null);

export const useToasts = (): Say => use(Saying)!;

/** How long what was done is shown, and what can be undone. */
const shownMs = 6_000;
export const undoMs = 10_000;

/**
 * Short notes at the edge of the page about what was just done. They stay while the pointer or the focus is on them, and
 * refusals until they are closed. `z` undoes the last.
 */
export const Toasts = ({ children }: { readonly children: ReactNode }) => {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const [isInUse, setInUse] = useState(false);
  const serial = useRef(0);
  const close = useCallback((id: number) => setToasts((all) => all.filter((each) => each.id !== id)), []);
  const say = useMemo<Say>(() => {
    const show = (toast: Omit<Toast, "id">) => {
      serial.current += 1;
      const id = serial.current;
      setToasts((all) => [...all.slice(-3), { ...toast, id }]);
      return id;
    };
    return {
      done: (text, undo) => {
        show({ text, isRefusal: false, undo });
      },
      undoable: (text, undo) => {
        const id = show({ text, isRefusal: false, staysOpen: true, undo });
        return () => close(id);
      },
      refused: (error) => {
        show({
          text: error instanceof Error ? error.message : String(error),
          isRefusal: true,
          undo: undefined,
        });
      },
    };
  }, [close]);
  const undo = ({ id, undo }: Toast) => {
    close(id);
    undo?.();
  };
  const last = toasts.findLast((toast) => toast.undo !== undefined);
  useKeys(last === undefined ? [] : [{ keys: "z", does: "Undo the last action", run: () => undo(last) }]);
  return (
    <Saying value={say}>
      {children}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: only keeps what is being read from going */}
      <div
        className="toasts"
        onPointerEnter={() => setInUse(true)}
        onPointerLeave={() => setInUse(false)}
        onFocus={() => setInUse(true)}
        onBlur={() => setInUse(false)}
      >
        <div role="status" aria-live="polite" className="toasts-list">
          {toasts.map((toast) => (
            <ToastRow
              key={toast.id}
              toast={toast}
              isInUse={isInUse}
              onClose={() => close(toast.id)}
              onUndo={() => undo(toast)}
            />
          ))}
        </div>
      </div>
    </Saying>
  );
};

interface ToastRowProps {
  readonly toast: Toast;
  /** The pointer or the focus is on one of them. */
  readonly isInUse: boolean;
  readonly onClose: () => void;
  readonly onUndo: () => void;
}

const ToastRow = ({ toast, isInUse, onClose, onUndo }: ToastRowProps) => {
  const { text, isRefusal, staysOpen = false, undo } = toast;
  const closing = useRef(onClose);
  closing.current = onClose;
  useEffect(() => {
    if (isRefusal || isInUse || staysOpen) return;
    const timer = setTimeout(() => closing.current(), undo === undefined ? shownMs : undoMs);
    return () => clearTimeout(timer);
  }, [isRefusal, isInUse, staysOpen, undo]);
  return (
    <div className={isRefusal ? "toast refusal" : "toast"}>
      <Icon name={isRefusal ? "circle-alert" : "check"} />
      <span className="grow">{text}</span>
      {undo === undefined ? null : (
        <Button small icon="undo-2" title="Z" onClick={onUndo}>
          Undo
        </Button>
      )}
      {staysOpen ? null : <IconButton icon="x" label="Close" small onClick={onClose} />}
    </div>
  );
};
