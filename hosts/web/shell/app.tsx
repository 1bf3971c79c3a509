import { useSessionQuery } from "../live/session.ts";
import { ErrorView } from "../parts/error-view.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { Frame } from "./frame.tsx";
import { SignIn } from "./sign-in.tsx";

/** Shows the board to who is signed in, and asks others for a token. */
export const App = () => {
  const session = useSessionQuery();
  if (session.isPending) return <Skeleton rows={3} />;
  if (session.data) return <Frame />;
  if (session.isError) return <ErrorView error={session.error} retry={() => void session.refetch()} />;
  return <SignIn refusal={null} />;
};
