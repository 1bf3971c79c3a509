import { lazy, Suspense } from "react";
import { visibleRecord, visibleText } from "../../../../core/model/shared/visible-text.ts";
import { labelOf, usePayloadText } from "./payload-text.ts";

type Fields = Readonly<Record<string, unknown>>;

const Diff = lazy(async () => ({ default: (await import("../../widgets/diff.tsx")).Diff }));

interface PayloadChangesProps {
  readonly before: Fields;
  readonly after: Fields;
  /** The note of the decision after the round before. */
  readonly asked: string | null;
}

/** The differences from the payload that was sent back, field by field. */
export const PayloadChanges = ({ asked, ...payloads }: PayloadChangesProps) => {
  const { before, after } = visibleRecord(payloads);
  const textOf = usePayloadText();
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) => {
    const [was, is] = [textOf(key, before[key]), textOf(key, after[key])];
    return was === is ? [] : [{ key, was, is }];
  });
  return (
    <section aria-labelledby="approval-changes" className="stack approval-round">
      <h3 id="approval-changes">Changed since the previous round</h3>
      {asked === null ? null : <p className="muted">Requested then: {visibleText(asked)}</p>}
      {changed.length === 0 ? <p className="muted">No changes</p> : null}
      {changed.map(({ key, was, is }) => (
        <div key={key}>
          <h4>{labelOf(key)}</h4>
          {was.length + is.length < 120 && !`${was}${is}`.includes("\n") ? (
            <p>
              <del>{was === "" ? "nothing" : was}</del> → <ins>{is === "" ? "nothing" : is}</ins>
            </p>
          ) : (
            <Suspense fallback={<p className="muted">{is}</p>}>
              <Diff before={was} after={is} />
            </Suspense>
          )}
        </div>
      ))}
    </section>
  );
};
