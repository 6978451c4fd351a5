import { QueryErrorResetBoundary } from '@tanstack/react-query'
import { Component, type ReactNode, Suspense } from 'react'
import { queries } from '../app/service'
import { parts } from '../text/parts'
import { useText } from '../text/use-text'
import { Button } from './button'
import { Problem } from './problem'

/** A panel that breaks alone: what it shows while it loads, and what it says when it cannot. */
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
        <Catch onRetry={reset}>
          <Suspense fallback={loading}>{children}</Suspense>
        </Catch>
      )}
    </QueryErrorResetBoundary>
  )
}

class Catch extends Component<{ children: ReactNode; onRetry: () => void }, { error: unknown }> {
  override state = { error: null as unknown }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    if (this.state.error === null) return this.props.children
    const retry = () => {
      this.props.onRetry()
      // What could not be drawn was no error of a request: only another answer can be.
      queries.removeQueries({ type: 'inactive' })
      this.setState({ error: null })
    }
    return <Broken error={this.state.error} onRetry={retry} />
  }
}

/** What failed, and a way to try it again. */
export function Broken({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  const t = useText(parts)
  return (
    <Problem error={error}>
      <div>
        <Button onPress={onRetry}>{t('retry')}</Button>
      </div>
    </Problem>
  )
}
