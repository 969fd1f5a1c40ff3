-- Two persons, judged in both directions: neither may be the other, or have made the other's account.

-- Reasons why accounts and a requester are not two persons; accounts without one are left out. First those of approver_faults, then the same of the
-- requester's account as seen from the approver: requesterChanged, requesterYoung; requesterGone: the account was deleted, so that it cannot be judged.
-- A null requester is the portal. Looks everywhere, as approver_faults does.
create function pair_faults(requester integer, accounts integer[], moment timestamptz) returns table (account_id integer, fault text)
language sql stable security definer set search_path = public, pg_temp as $$
  select distinct on (f.account_id) f.account_id, f.fault from (
    select a.account_id, a.fault, 0 as rank from approver_faults(requester, accounts, moment) a
    union all
    select a, 'requesterGone', 1 from unnest(accounts) a
    where requester is not null and not is_single_operator() and not exists (select from users where id = requester and not is_deleted)
    union all
    select a, case r.fault when 'changed' then 'requesterChanged' when 'young' then 'requesterYoung' else r.fault end, 2
    from unnest(accounts) a cross join lateral approver_faults(a, array[requester], moment) r
  ) f
  order by f.account_id, f.rank
$$;
revoke all on function pair_faults(integer, integer[], timestamptz) from public;
grant execute on function pair_faults(integer, integer[], timestamptz) to parapet_app;
