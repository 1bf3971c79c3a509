import { useQuery } from "@tanstack/react-query";
import { isLive } from "../../../../core/model/runs/run-status.ts";
import { type AnswerOf, call, useRead } from "../../live/calls.ts";
import type { Run } from "../../live/records.ts";
import { type ChangedFile, ChangedFiles, pathText } from "../../nouns/code/changed-files.tsx";
import { Commits } from "../../nouns/code/commits.tsx";
import { Patch } from "../../nouns/code/patch.tsx";
import { ErrorView } from "../../widgets/error-view.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Skeleton } from "../../widgets/skeleton.tsx";

type Changes = AnswerOf<"runs.changes">[number];

/** The changes of a run in each repository: all files that it left, against those that it began with. */
export const RunChanges = ({ run: { id: runId, status } }: { readonly run: Run }) => {
  const changes = useRead("runs.changes", { runId });
  if (changes.isPending) return <Skeleton />;
  if (changes.isError) return <ErrorView error={changes.error} retry={() => void changes.refetch()} />;
  if (changes.data.length === 0)
    return (
      <p className="run-changes faint">
        {isLive(status) ? "No changes yet. They appear when the run ends." : "This run changed no files."}
      </p>
    );
  return (
    <div className="run-changes" data-scrolls>
      {changes.data.map((each) => (
        <InRepository key={each.repositoryId} runId={runId} changes={each} />
      ))}
    </div>
  );
};

interface InRepositoryProps {
  readonly runId: string;
  readonly changes: Changes;
}

const InRepository = ({ runId, changes }: InRepositoryProps) => {
  const { url, files, isCut, isCommitted, problem, commits } = changes;
  return (
    <section aria-label={`Changes in ${url}`}>
      <p className="muted">{url}</p>
      {problem === null ? (
        <>
          {isCommitted ? null : <p role="status">Includes uncommitted changes.</p>}
          <Commits commits={commits} />
          <ChangedFiles files={files} isCut={isCut}>
            {(file) => <FilePatch runId={runId} changes={changes} file={file} />}
          </ChangedFiles>
        </>
      ) : (
        <p role="status">{problem}</p>
      )}
    </section>
  );
};

interface FilePatchProps extends InRepositoryProps {
  readonly file: ChangedFile;
}

const FilePatch = ({ runId, changes: { repositoryId, base, head }, file }: FilePatchProps) => {
  const { path, oldPath } = file;
  // Two commits differ in the same way always, so that no event makes it be read again.
  const patch = useQuery({
    queryKey: ["patch of run", repositoryId, base, head, oldPath, path],
    queryFn: ({ signal }) =>
      call("runs.diff", { runId, repositoryId, path, ...(oldPath === null ? {} : { oldPath }) }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (patch.isPending) return <Skeleton rows={2} />;
  if (patch.isError) return <Problem error={patch.error} />;
  return <Patch patch={patch.data} label={`Changes of ${pathText(file)}`} layout="unified" />;
};
