import { useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useState } from "react";
import { SessionShown, useSessionQuery } from "../live/session.ts";
import { ErrorView } from "../widgets/error-view.tsx";
import { Skeleton } from "../widgets/skeleton.tsx";
import { takeEmailLink } from "./email-links.ts";
import { Frame } from "./frame.tsx";
import { exchangeSignIn, takeSignIn } from "./sign-in-code.ts";

const SignIn = lazy(async () => ({ default: (await import("./sign-in.tsx")).SignIn }));

const EmailLinkPage = lazy(() =>
  import("./email-link-page.tsx").then((loaded) => ({ default: loaded.EmailLinkPage })),
);

/** The page of a link of an email, which needs no sign-in, or the board. */
export const App = () => {
  const [link] = useState(takeEmailLink);
  return link === null ? (
    <Board />
  ) : (
    <Suspense fallback={<Skeleton rows={3} />}>
      <EmailLinkPage link={link} />
    </Suspense>
  );
};

/** Signs in by the link or the provider's answer that was opened, else shows the board, else asks for a token. */
const Board = () => {
  const [brought] = useState(takeSignIn);
  const [refusal, setRefusal] = useState<unknown>(null);
  const [isTrying, setTrying] = useState(brought !== null);
  const queries = useQueryClient();
  useEffect(() => {
    if (brought === null) return;
    void exchangeSignIn(brought)
      .catch(setRefusal)
      .finally(async () => {
        await queries.invalidateQueries();
        setTrying(false);
      });
  }, [brought, queries]);
  const session = useSessionQuery(!isTrying);
  if (isTrying || session.isPending) return <Skeleton rows={3} />;
  if (session.data)
    return (
      <SessionShown value={session.data}>
        <Frame />
      </SessionShown>
    );
  if (session.isError) return <ErrorView error={session.error} retry={() => void session.refetch()} />;
  return (
    <Suspense fallback={<Skeleton rows={3} />}>
      <SignIn refusal={refusal} />
    </Suspense>
  );
};
