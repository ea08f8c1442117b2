//! Ways to get a protocol wrong, as people report them. A file is one of them: how it comes about, a kernel that does it, the report that it must give, word
//! for word, and the repaired kernel, which gives the right result under every schedule that is tried.

#![expect(clippy::unwrap_used, reason = "a test that fails may panic")]

mod a_rank_skips_the_collective;
mod another_root;
mod collectives_in_another_order;
mod double_buffering_with_one_buffer;
mod epilogue_takes_too_little;
mod equal_where_at_least_is_meant;
mod everybody_waits_first;
mod flag_in_the_own_copy;
mod flag_is_up_already;
mod last_rank_has_no_right_neighbour;
mod neighbours_share_a_counter;
mod no_barrier_between_rounds;
mod notify_before_data;
mod one_counter_for_many_chunks;
mod page;
mod polled_flag;
mod put_right_notify_left;
mod read_before_the_first_barrier;
mod reset_erases_the_signal;
mod root_overwrites;
mod set_where_credits_are_counted;
mod signal_is_not_cleared;
mod signal_to_itself;
mod slot_is_freed_too_early;
mod support;
mod swapped_cells;
mod wait_for_all_ranks;
mod waits_for_itself;
