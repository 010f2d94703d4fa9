package store

// runStateSQL is the state that a run r shows. The row's own state follows a wait as soon as it begins, whatever other
// branches do, and follows its end only when the walk comes by. So while a run is alive its other rows are asked:
//
//   - needs_attention: the outcome of an effect is unknown, and somebody is asked about it. Other branches may go on.
//   - waiting: something is waited for, and nothing else is under way. A wait that was woken is over but for the walk.
//     Under way is an attempt that is being sent, or whatever recorded something after the last wait began and less
//     than quietAfter ago: quick reads have no row before their answer.
//   - running: anything else.
const runStateSQL = `case
	  when r.state not in ('running', 'waiting', 'needs_attention') then r.state
	  when exists (select 1 from attempt u where u.run_id = r.id and u.state = 'unknown' and u.effect <> 'read')
	    and (r.state = 'needs_attention' or exists (select 1 from wait o where o.run_id = r.id and o.kind = 'settle' and o.done_at is null)) then 'needs_attention'
	  when r.state = 'running' then 'running'
	  else (select case
	      when q.since is null
	        or exists (select 1 from attempt b where b.run_id = r.id and (b.state = 'sending' or b.finished_at > q.calm))
	        or exists (select 1 from decision b where b.run_id = r.id and b.created_at > q.calm) then 'running'
	      else 'waiting' end
	    from (select max(o.since) as since, greatest(max(o.since), clock_timestamp() - ` + quietAfter + `) as calm
	      from wait o where o.run_id = r.id and o.done_at is null and o.woken_at is null) q)
	end`

// quietAfter is how long after its last record a run is taken to do nothing beside its waits: a read that takes longer
// than a second shows by a row of its own.
const quietAfter = `interval '2 seconds'`
