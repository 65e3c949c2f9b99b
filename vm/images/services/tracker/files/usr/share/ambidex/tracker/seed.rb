# Sets Redmine up with two people and no project. Arguments are in the environment: SEED_USER.
Setting.rest_api_enabled = 1
Setting.login_required = 0
Setting.self_registration = 0
Setting.gravatar_enabled = 0
Setting.app_title = "Tracker"
Setting.host_name = "localhost:8082"
Setting.welcome_text = ""
Setting.default_language = "en"
Setting.force_default_language_for_anonymous = 1
Setting.default_projects_public = 1
Setting.sys_api_enabled = 0
Setting.notified_events = []
Setting.password_min_length = 8

admin = User.find_by!(login: "admin")
admin.update!(login: "maintainer", firstname: "Robin", lastname: "Maintainer", mail: "maintainer@localhost.test",
              must_change_passwd: false, password: SecureRandom.hex(16), language: "en")
user = User.new(firstname: "Desktop", lastname: "User", mail: "user@localhost.test", language: "en",
                mail_notification: "none", status: User::STATUS_ACTIVE)
user.login = ENV.fetch("SEED_USER")
user.password = "password"
user.save!
# Whoever is logged in may make projects; the role of who makes one is Manager.
Role.non_member.add_permission!(:add_project)
Setting.new_project_user_role_id = Role.find_by!(name: "Manager").id.to_s
