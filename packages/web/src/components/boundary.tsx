import { QueryErrorResetBoundary } from '@tanstack/react-query'
import { Component, type ReactNode, Suspense } from 'react'
import { queryClient } from '../app/service'
import { parts } from '../text/parts'
import { useText } from '../text/use-text'
import { Button } from './button'
import { Problem } from './problem'

/** Loading and error states of one panel; the rest of the page is not affected. */
export function Boundary({
  children,
  loading,
}: {
  readonly children: ReactNode
  readonly loading: ReactNode
}) {
  return (
    <QueryErrorResetBoundary>
      {({ reset }) => (
        <ErrorBoundary onRetry={reset}>
          <Suspense fallback={loading}>{children}</Suspense>
        </ErrorBoundary>
      )}
    </QueryErrorResetBoundary>
  )
}

class ErrorBoundary extends Component<{ children: ReactNode; onRetry: () => void }, { error: unknown }> {
  override state = { error: null as unknown }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    if (this.state.error === null) return this.props.children
    const retry = () => {
      this.props.onRetry()
      // The error occurred while rendering, not in a request: only another response can help.
      queryClient.removeQueries({ type: 'inactive' })
      this.setState({ error: null })
    }
    return <ErrorNotice error={this.state.error} onRetry={retry} />
  }
}

/** Error message with a button to try again. */
export function ErrorNotice({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  const t = useText(parts)
  return (
    <Problem error={error}>
      <div>
        <Button onPress={onRetry}>{t('retry')}</Button>
      </div>
    </Problem>
  )
}
