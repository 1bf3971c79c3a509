import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useSessionQuery } from "../live/session.ts";
import { ErrorView } from "../widgets/error-view.tsx";
import { Skeleton } from "../widgets/skeleton.tsx";
import { Frame } from "./frame.tsx";
import { SignIn } from "./sign-in.tsx";
import { exchangeSignIn, takeSignIn } from "./sign-in-code.ts";

/** Signs in by the link or the provider's answer that was opened, else shows the board, else asks for a token. */
export const App = () => {
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
  if (session.data) return <Frame />;
  if (session.isError) return <ErrorView error={session.error} retry={() => void session.refetch()} />;
  return <SignIn refusal={refusal} />;
};
