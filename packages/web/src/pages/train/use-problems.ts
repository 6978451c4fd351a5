import type { ErrorIssue } from '@medloom/contracts'
import { useMemo } from 'react'
import { useContractText } from '../../text/contracts'

/** Dotted path → what the service says about it. What is only missing is said at its field once a start was tried. */
export function useProblems(issues: readonly ErrorIssue[], wasTried: boolean) {
  const contract = useContractText()
  return useMemo(() => {
    const told = issues.filter(({ code }) => wasTried || code !== 'MISSING_FIELD')
    const atFields = new Map(
      told.map(({ path, code, message, hint }) => {
        const { words, english } = contract.remedy(code, hint)
        return [path, `${message}. ${[words, english].filter(Boolean).join(' ')}`]
      }),
    )
    return { atFields, listed: told }
  }, [issues, wasTried, contract])
}
