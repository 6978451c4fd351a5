import type { ErrorIssue } from '@medloom/contracts'
import { useMemo } from 'react'
import { useContractText } from '../../text/contracts'

/** Dotted path → error of the service. A missing value is reported at its field only after a start was tried. */
export function useProblems(issues: readonly ErrorIssue[], wasTried: boolean) {
  const contract = useContractText()
  return useMemo(() => {
    const shown = issues.filter(({ code }) => wasTried || code !== 'MISSING_FIELD')
    const atFields = new Map(
      shown.map(({ path, code, message, hint }) => {
        const { words, english } = contract.remedy(code, hint)
        return [path, `${message}. ${[words, english].filter(Boolean).join(' ')}`]
      }),
    )
    return { atFields, listed: shown }
  }, [issues, wasTried, contract])
}
