export function Failure({ error }: { readonly error: Error }) {
  return (
    <p className="warning" role="alert">
      {error.message}
    </p>
  );
}
