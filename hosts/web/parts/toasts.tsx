import { createContext, type ReactNode, use, useCallback, useMemo, useRef, useState } from "react";
import { Button, IconButton } from "./button.tsx";
import { Icon } from "./icon.tsx";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isRefusal: boolean;
  readonly undo: (() => void) | undefined;
}

interface Say {
  /** What was done, with its undo where the lifecycle has one. */
  done(text: string, undo?: () => void): void;
  /** A refusal that no field or place of the screen can show. */
  refused(error: unknown): void;
}

const Saying = createContext<Say | null>(null);

export const useToasts = (): Say => use(Saying)!;

const shownMs = 6000;

/** Short words at the edge of the page about what was just done. Refusals stay until they are closed. */
export const Toasts = ({ children }: { readonly children: ReactNode }) => {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const serial = useRef(0);
  const close = useCallback((id: number) => setToasts((all) => all.filter((each) => each.id !== id)), []);
  const say = useMemo<Say>(() => {
    const show = (toast: Omit<Toast, "id">) => {
      serial.current += 1;
      const id = serial.current;
      setToasts((all) => [...all.slice(-3), { ...toast, id }]);
      if (!toast.isRefusal) setTimeout(() => close(id), shownMs);
    };
    return {
      done: (text, undo) => show({ text, isRefusal: false, undo }),
      refused: (error) =>
        show({
          text: error instanceof Error ? error.message : String(error),
          isRefusal: true,
          undo: undefined,
        }),
    };
  }, [close]);
  return (
    <Saying value={say}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {toasts.map(({ id, text, isRefusal, undo }) => (
          <div key={id} className={isRefusal ? "toast refusal" : "toast"}>
            {isRefusal ? <Icon name="circle-alert" /> : <Icon name="check" />}
            <span className="grow">{text}</span>
            {undo === undefined ? null : (
              <Button
                small
                icon="undo-2"
                onClick={() => {
                  close(id);
                  undo();
                }}
              >
                Undo
              </Button>
            )}
            <IconButton icon="x" label="Close" small onClick={() => close(id)} />
          </div>
        ))}
      </div>
    </Saying>
  );
};
