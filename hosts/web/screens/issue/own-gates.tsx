import { type AnswerOf, useWrite } from "../../live/calls.ts";
import { GateList } from "../../nouns/issues/gate-list.tsx";
import { Button } from "../../widgets/button.tsx";

type Gates = AnswerOf<"issues.gates">;

interface OwnGatesProps {
  readonly issueId: string;
  readonly gates: Gates;
  readonly onClose: () => void;
}

/** Changes the gates of this issue alone. */
export const OwnGates = ({ issueId, gates: { gates, isOwn }, onClose }: OwnGatesProps) => {
  const set = useWrite("issues.setGates");
  return (
    <>
      <p className="faint">
        {isOwn
          ? "These gates replace the project's gates for this issue."
          : gates.length === 0
            ? "No gates yet. Gates that you add here apply only to this issue."
            : "These are the project's gates. Changes here apply only to this issue."}
      </p>
      <GateList
        label="Gates of this issue"
        gates={gates}
        mayManage
        write={set}
        onSet={(next, onDone) => set.run({ issueId, gates: next }, { onSuccess: onDone })}
      />
      <div className="row-wrap">
        {isOwn ? (
          <Button small busy={set.busy} onClick={() => set.run({ issueId, gates: null })}>
            Use the project's gates
          </Button>
        ) : null}
        <Button small onClick={onClose}>
          Close
        </Button>
      </div>
    </>
  );
};
