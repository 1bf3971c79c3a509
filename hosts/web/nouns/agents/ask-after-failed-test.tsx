import { useState } from "react";
import { ConfirmDialog } from "../../widgets/dialog.tsx";
import { CheckList } from "./check-list.tsx";
import type { EnvironmentTestState } from "./environment-test.tsx";

interface Asked {
  /** A question: "Hire Ada anyway?" */
  readonly title: string;
  readonly verb: string;
  readonly act: () => void;
}

/** Acts, but asks first while the last test of the environment has failed: `dialog` is to be rendered. */
export const useAskAfterFailedTest = (test: EnvironmentTestState, { act, ...dialog }: Asked) => {
  const [asks, setAsks] = useState(false);
  const close = () => setAsks(false);
  return {
    act: () => (test.failed ? setAsks(true) : act()),
    dialog: asks ? (
      <ConfirmDialog
        {...dialog}
        onConfirm={() => {
          close();
          act();
        }}
        onClose={close}
      >
        <p>The last environment test failed. Runs will fail, too, until this is fixed:</p>
        <CheckList checks={(test.report?.checks ?? []).filter(({ level }) => level === "error")} />
      </ConfirmDialog>
    ) : null,
  };
};
