# WireCases.pm
#
# The requests and answers of test/wire: reads them, has them sent by a
# function of the caller's, and compares.

package WireCases;

use strict;
use warnings;

use Exporter qw(import);
use JSON::PP;
use Scalar::Util qw(looks_like_number);
use Test::More;

our @EXPORT = qw(wire_case_files run_wire_cases wire_case_requests);

# UTF-8 text in and out; numbers keep their kind.
my $json = JSON::PP->new->utf8->canonical->allow_nonref;

sub wire_case_files
{
	my ($directory) = @_;

	return sort glob("$directory/*.jsonl");
}

# Runs the cases of a file.  $send gets a list of requests, each an operation
# and the bytes of a body, and returns as many pairs of the name of an
# exception, or undef, and the bytes of the response.  Each case that fails is a
# failed test; in the end there is one test for the file.  Returns how many
# cases were run.
sub run_wire_cases
{
	my ($file, $send, %options) = @_;
	my $name = $file =~ s{.*/}{}r;
	my @cases = grep { !$_->{http_only} || $options{http} } read_cases($file);
	my @answers = $send->(map { [ $_->{operation}, $_->{body} ] } @cases);
	my $failed = 0;

	foreach my $case (@cases)
	{
		my ($error, $response) = @{ shift @answers };
		my $wrong = check($case, $error, $response);

		next unless defined $wrong;
		$failed++;
		fail("$name, line $case->{line}: $case->{operation}");
		diag('request:  ' . substr($case->{body}, 0, 1000));
		diag($wrong);
		diag('response: ' . substr($response // '', 0, 2000));
	}
	is($failed, 0, "$name: " . @cases . ' requests');
	return scalar @cases;
}

sub read_cases
{
	my ($file) = @_;
	my @cases;

	open(my $in, '<:raw', $file) or die "could not open $file: $!";
	while (my $line = <$in>)
	{
		$line =~ s/<(\w) times (\d+)>/$1 x $2/ge;
		next if $line =~ m{^\s*(//|$)};
		my $case = eval { $json->decode($line) } or die "$file, line $.: $@";

		$case->{line} = $.;
		$case->{body} = exists $case->{body} ? text_bytes($case->{body}) : $json->encode($case->{request});
		push @cases, $case;
	}
	close($in);
	return @cases;
}

# The requests of a file, each an operation and a data structure.
sub wire_case_requests
{
	my ($file) = @_;

	return map { [ $_->{operation}, $_->{request} ] }
	  grep { exists $_->{request} } read_cases($file);
}

sub text_bytes
{
	my ($text) = @_;

	utf8::encode($text);
	return $text;
}

# What is wrong with a response, or undef.
sub check
{
	my ($case, $error, $response) = @_;
	my $body = defined $response && $response ne '' ? $json->decode($response) : undef;

	if (!exists $case->{error})
	{
		return "unexpected $error" if defined $error;
		return compare($case->{answer}, $body, 'response', $case->{unordered});
	}
	return "expected $case->{error}" if !defined $error;
	return "expected $case->{error}, got $error" if $error ne $case->{error};
	return "__type is not that of $error" if $body->{__type} !~ /#\Q$error\E$/;

	my $message = $body->{message} // $body->{Message};
	return 'a message was not expected'
	  if !exists $case->{message} && !exists $case->{message_has} && defined $message;
	return "expected the message: $case->{message}"
	  if exists $case->{message} && ($message // '') ne $case->{message};
	return "expected in the message: $case->{message_has}"
	  if exists $case->{message_has} && index($message // '', $case->{message_has}) < 0;
	my $members = $case->{error_members} // {};
	my %found = map { $_ => $body->{$_} } grep { !/^(__type|message|Message)$/ } keys %$body;
	return compare($members, \%found, 'error', $case->{unordered});
}

# Where a value differs from what is expected, or undef.
sub compare
{
	my ($expected, $value, $where, $unordered) = @_;

	return undef if defined $expected && !ref $expected && $expected eq '<any>';
	if (ref $expected eq 'HASH')
	{
		return "$where is no object" if ref $value ne 'HASH';
		foreach my $name (sort keys %$expected)
		{
			return "$where lacks $name" if !exists $value->{$name};
			my $wrong = compare($expected->{$name}, $value->{$name}, "$where.$name", $unordered);
			return $wrong if defined $wrong;
		}
		foreach my $name (sort keys %$value)
		{
			return "$where has $name" if !exists $expected->{$name};
		}
		return undef;
	}
	if (ref $expected eq 'ARRAY')
	{
		return "$where is no array" if ref $value ne 'ARRAY';
		return "$where has " . @$value . ' elements, not ' . @$expected if @$value != @$expected;
		my @found = @$value;
		foreach my $i (0 .. $#$expected)
		{
			my ($at) = grep { !defined compare($expected->[$i], $found[$_], '', 1) }
			  $unordered ? (0 .. $#found) : (0);
			return $unordered ? "$where lacks the element $i" :
			  compare($expected->[$i], $found[0], "${where}[$i]", 0)
			  if !defined $at;
			splice(@found, $at, 1);
		}
		return undef;
	}
	if (!defined $expected || !defined $value || ref $value || ref $expected)
	{
		# booleans are objects of one class
		return undef if !defined $expected && !defined $value;
		return undef if ref $expected && ref $value && ref $expected eq ref $value && $expected == $value;
		return "$where is " . $json->encode($value) . ', not ' . $json->encode($expected);
	}
	return undef if is_number($expected) == is_number($value) &&
	  (is_number($expected) ? $expected == $value : $expected eq $value);
	return "$where is " . $json->encode($value) . ', not ' . $json->encode($expected);
}

# Was a scalar a number in JSON?
sub is_number
{
	my ($value) = @_;

	return $json->encode($value) !~ /^"/ ? 1 : 0;
}

1;
