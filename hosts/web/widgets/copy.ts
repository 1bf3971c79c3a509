import { useState } from "react";

export interface Copying {
  /** The text that was copied last. */
  readonly copied: string | null;
  /** Browsers have a clipboard on HTTPS and on the machine itself alone, and may refuse it there, too. */
  readonly isRefused: boolean;
  readonly copy: (text: string) => Promise<void>;
}

export const copyRefused = "Your browser blocked copying. Select the text and copy it.";

/** Puts texts into the clipboard. */
export const useCopy = (): Copying => {
  const [copied, setCopied] = useState<string | null>(null);
  const [isRefused, setRefused] = useState(false);
  const copy = async (text: string) => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(text);
      setRefused(false);
    } catch {
      setRefused(true);
    }
  };
  return { copied, isRefused, copy };
};
