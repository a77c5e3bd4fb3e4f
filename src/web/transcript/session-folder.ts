import { createContext } from 'react';

/** The working directory of the session that is shown: what its file names are relative to. */
export const SessionFolder = createContext<string | null>(null);
