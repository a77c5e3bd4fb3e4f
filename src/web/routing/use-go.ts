import { useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';
import { formatPlace, type Page } from './place.ts';
import { useRealm } from './realm.ts';

interface GoOptions {
  /** Changes the address without a new history entry, for text that is still being typed. */
  readonly isReplacing?: boolean;
}

export type Go = (page: Page, options?: GoOptions) => void;

/** Opens a screen of the same realm: own sessions or demo. */
export function useGo(): Go {
  const { history } = useRouter();
  const { isDemo } = useRealm();
  return useCallback(
    (page, { isReplacing = false } = {}) => {
      const address = formatPlace({ isDemo, page });
      if (isReplacing) history.replace(address);
      else history.push(address);
    },
    [history, isDemo],
  );
}
