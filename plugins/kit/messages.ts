import type { ExecuteContext, MessageAgain, Word } from "../../ports/agent-adapter.ts";

/** The words of people to a run, for the program that it has now. */
export interface Messages {
  /** Takes the words from now on; the first call says that the run takes them. What comes without a taker is dropped. */
  to(take: (message: Word) => void): void;
}

/** null where nothing can be said to the run. One for a whole run, whatever programs it starts. */
export const personMessages = (context: Pick<ExecuteContext, "nextWord">): Messages | null => {
  if (context.nextWord === undefined) return null;
  const next = context.nextWord;
  let taker: (message: Word) => void = () => {};
  let isListening = false;
  const listen = async () => {
    for (;;) {
      const message = await next({ interrupt: true });
      if (message === null) return;
      taker(message);
    }
  };
  return {
    to: (take) => {
      taker = take;
      if (isListening) return;
      isListening = true;
      // The run continues without them: they are left to the next run.
      void listen().catch(() => {});
    },
  };
};

/** Of a program that does not know messages by their ids. */
export const againText = ({ text }: MessageAgain): string =>
  `You may have this message already, because your last run was cut off. If so, do not act on it twice.\n${text}`;
